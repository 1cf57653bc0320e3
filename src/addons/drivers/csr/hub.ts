import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import type { Outcome } from '../../../core/outcome.ts'
import { done, requeueAfter } from '../../../core/outcome.ts'
import type { Reason } from '../../../core/reason.ts'
import { decisionOn } from '../../../fleet/csr/approval.ts'
import { annotations } from '../../../fleet/names.ts'
import type { Controller } from '../../../kube/controller.ts'
import { controller } from '../../../kube/controller.ts'
import type { Key, Stored } from '../../../kube/objects.ts'
import { splitKey } from '../../../kube/objects.ts'
import { changesOf, watching } from '../../../kube/watching.ts'
import type { AddonHubDeps } from '../../hub/deps.ts'
import { addonKeyOf } from '../../hub/view.ts'
import type { Pace } from '../../pace.ts'
import { pace } from '../../pace.ts'
import type { AddonCsrEffects } from './hub-effects.ts'
import { addonCsrEffects } from './hub-effects.ts'
import { isUnwanted, whyNotApproved } from './judge.ts'
import type { AddonRequest } from './read-request.ts'
import { isAskedByAgent, readAddonRequest } from './read-request.ts'
import { supersededRequests } from './superseded.ts'

type Csr = Stored<CertificateSigningRequest>

/** Add-ons at a time: a turn mostly waits for the API server. */
const workers = 16

/**
 * Decides on the certificate requests of one add-on on one cluster. Those for other signers than the hub's own are left
 * to whoever signs them; of all of them only the newest stays.
 */
export function addonCsrController(deps: AddonHubDeps): Controller {
  const { view, clusters } = deps
  const read = readOnce()
  const removing = pace(deps.clock)
  return controller(
    'addon-csr',
    (key, { signal }) => reconcile(key, deps, read, removing, addonCsrEffects(deps, signal)),
    {
      ...deps,
      workers,
      watches: [
        watching(view.csrs, addonKeyOf),
        watching(view.addons, undefined, { when: changesOf(({ status }) => status?.registrations) }),
        watching(
          clusters,
          ({ metadata: { name } }) =>
            view.addons.byIndex('cluster', name).map(({ metadata }) => `${name}/${metadata.name}`),
          {
            when: changesOf(({ spec, metadata }) => [
              spec?.hubAcceptsClient,
              metadata.annotations?.[annotations.agentName],
            ]),
          },
        ),
      ],
    },
  )
}

async function reconcile(
  key: Key,
  { view, clusters, settings }: AddonHubDeps,
  read: (csr: Csr) => AddonRequest | Reason,
  removing: Pace,
  effects: AddonCsrEffects,
): Promise<Outcome> {
  // Nobody but the agent itself is taken at its word on which of its requests it still wants.
  const ofAddon = view.csrs.byIndex('addon', key).filter(isAskedByAgent)
  if (!ofAddon.some(isOpen)) return done
  const addon = view.addons.get(key)
  const cluster = clusters.get(splitKey(key).namespace ?? '')
  const superseded = new Set(supersededRequests(ofAddon))
  let waitMs = 0
  const atPace = async (remove: () => Promise<boolean>) => {
    waitMs = removing.waitMs(key)
    // One that is gone already, of which the watch has yet to tell, takes nobody's turn.
    if (waitMs === 0 && (await remove())) removing.note(key)
  }
  for (const csr of superseded) await atPace(() => effects.remove(key, csr))
  for (const csr of ofAddon.filter((csr) => isOpen(csr) && !superseded.has(csr))) {
    const request = read(csr)
    if (typeof request === 'string') continue
    if (isUnwanted(addon, request)) await atPace(() => effects.removeUnwanted(key, request))
    else if (!whyNotApproved({ request, cluster, addon, approvers: settings.approvers ?? [] }))
      await effects.approve(key, request)
  }
  return waitMs > 0 ? requeueAfter(waitMs) : done
}

const isOpen = (csr: CertificateSigningRequest): boolean => decisionOn(csr) === 'none'

/** The same object is read once: a signature takes long to check. */
function readOnce(): (csr: Csr) => AddonRequest | Reason {
  const known = new WeakMap<Csr, AddonRequest | Reason>()
  return (csr) => {
    const request = known.get(csr) ?? readAddonRequest(csr, csr.spec.signerName)
    if (!known.has(csr)) known.set(csr, request)
    return request
  }
}
