import { Klusterlet } from '../../apis/operator/klusterlet.ts'
import type { Outcome } from '../../core/outcome.ts'
import { done, requeueAfter } from '../../core/outcome.ts'
import type { Controller } from '../../kube/controller.ts'
import { controller } from '../../kube/controller.ts'
import type { Key } from '../../kube/objects.ts'
import { changesOf, watching } from '../../kube/watching.ts'
import type { OperatorDeps } from '../deps.ts'
import { isOn, judgeGates } from '../gates.ts'
import { statusWriter } from '../status.ts'
import type { HubClients } from './hub-clients.ts'
import { hubConnection, notAvailable } from './hub-connection.ts'
import { isServed, namespaceOf } from './plan.ts'
import type { KlusterletView } from './view.ts'

/** Tells whether the agent gets through to its hub: at once when a credential changes, and every so often. */
export const hubController = (deps: OperatorDeps, view: KlusterletView, clients: HubClients): Controller =>
  controller('klusterlet-hub', (key, { signal }) => reconcile(key, { deps, view, clients, signal }), {
    ...deps,
    watches: [
      watching(view.klusterlets, undefined, {
        when: changesOf(({ metadata }) => [metadata.generation, metadata.deletionTimestamp]),
      }),
      ...view.credentials,
    ],
  })

interface Job {
  deps: OperatorDeps
  view: KlusterletView
  clients: HubClients
  signal: AbortSignal
}

async function reconcile(key: Key, { deps, view, clients, signal }: Job): Promise<Outcome> {
  const { kube, clock, env, settings } = deps
  const klusterlet = view.klusterlets.get(key)
  if (!klusterlet || klusterlet.metadata.deletionTimestamp) return done
  const { featureGates, registrationDriver } = klusterlet.spec?.registrationConfiguration ?? {}
  const status = statusWriter(kube.of(Klusterlet.resource), klusterlet, { ...deps, signal })
  const driver = registrationDriver?.authType ?? 'csr'
  if (!isServed(driver)) {
    await status.write({ conditions: [notAvailable(driver)] })
    return done
  }
  const namespace = namespaceOf(klusterlet)
  // Elsewhere the operator may not look; the condition Applied says so.
  if (!settings.agentNamespaces.includes(namespace)) return done
  // The agent there is another's, until that one is gone.
  if (view.inNamespace(namespace)[0]?.metadata?.name !== key) return requeueAfter(settings.lookMs)
  const severalHubs = isOn(settings.gates.agent, judgeGates(settings.gates.agent, featureGates), 'MultipleHubs')
  const report = await hubConnection({ klusterlet, driver, kube, clients, clock, env, namespace, signal }, severalHubs)
  // As it is by now: the look takes as long as the hub does.
  const latest = view.klusterlets.get(key)
  if (latest)
    await statusWriter(kube.of(Klusterlet.resource), latest, { ...deps, signal }).write({ conditions: [report] })
  return requeueAfter(settings.lookMs)
}
