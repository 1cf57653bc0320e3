import { ManagedCluster } from '../../src/apis/cluster/managed-cluster.ts'
import { passBy } from '../../src/core/checkpoint.ts'
import type { Clock } from '../../src/core/clock.ts'
import { systemClock } from '../../src/core/clock.ts'
import type { Run } from '../../src/core/lifecycle.ts'
import { isAbort, runTogether } from '../../src/core/lifecycle.ts'
import { silentLog } from '../../src/core/log.ts'
import { noMetrics } from '../../src/core/metrics.ts'
import { systemRandom } from '../../src/core/random.ts'
import type { KubeClient } from '../../src/kube/client/index.ts'
import { eventRecorder } from '../../src/kube/events.ts'
import { customResourceDefinitions } from '../../src/kube/kinds.ts'
import type { Kube } from '../../src/kube/kube.ts'
import type { Stored } from '../../src/kube/objects.ts'
import type { HubDeps, HubSettings } from '../../src/registration/hub/deps.ts'
import { defaultHubSettings } from '../../src/registration/hub/deps.ts'
import { hubView } from '../../src/registration/hub/view.ts'
import type { ControlPlane } from './control-plane.ts'
import { eventually, livesBy } from './eventually.ts'
import { fleetKinds } from './fleet-kinds.ts'
import { kubeClient } from './kube-client.ts'
import type { TestScope } from './test-scope.ts'
import { teardown } from './test-scope.ts'

/** Makes the kinds of a fleet known to a control plane, once, without webhooks. */
export async function installFleetKinds(kube: Kube): Promise<void> {
  const crds = kube.of(customResourceDefinitions)
  for (const kind of fleetKinds) await crds.apply(kind.crd() as never, { fieldManager: 'test', force: true })
  for (const kind of fleetKinds)
    await eventually(`${kind.declaration.kind} is served`, async () =>
      (await crds.get(`${kind.declaration.plural}.${kind.declaration.group}`)).status?.conditions?.some(
        ({ type, status }) => type === 'Established' && status === 'True',
      ),
    )
}

export interface HubScene {
  /** As the admin. */
  admin: KubeClient
  deps: HubDeps
  cluster(name: string): Promise<Stored<ManagedCluster>>
  /** Stops what runs, as an orderly end of the process would. */
  stop(): Promise<void>
}

export interface HubSceneOptions {
  settings?: Partial<HubSettings>
  /** Default: the system's. Clients always run on the system's clock. */
  clock?: Clock
  /** What runs beside the informers: `(deps) => [acceptanceController(deps).run]`. */
  parts?: (deps: HubDeps) => readonly Run[]
  /** What the hub may do is what this client may. Default: everything. */
  hub?: Kube
}

/** A hub of these parts on a control plane of its own: hubs look at all clusters there are, so they cannot share one. */
export async function hubScene(t: TestScope, plane: ControlPlane, options: HubSceneOptions = {}): Promise<HubScene> {
  const admin = kubeClient(t, plane.connection())
  await installFleetKinds(admin)
  const kube = options.hub ?? admin
  const clock = options.clock ?? systemClock
  livesBy(t, clock)
  const common = { clock, random: systemRandom, log: silentLog }
  const deps: HubDeps = {
    ...common,
    kube,
    view: hubView(kube, common),
    metrics: noMetrics,
    events: eventRecorder(kube, { ...common, component: 'lanyard-hub' }),
    checkpoint: passBy,
    settings: { ...defaultHubSettings, ...options.settings },
  }
  const stop = runInTest(t, [deps.view.run, ...(options.parts?.(deps) ?? [])])
  return { admin, deps, cluster: (name) => admin.of(ManagedCluster.resource).get(name), stop }
}

/** Runs siblings until the test is over, or until the returned function is called. A failure of theirs fails the test. */
export function runInTest(t: TestScope, runs: readonly Run[]): () => Promise<void> {
  const ending = new AbortController()
  const over = runTogether(ending.signal, runs).catch((error: unknown) => {
    if (!isAbort(error, ending.signal)) throw error
  })
  over.catch(() => {})
  const stop = async () => {
    ending.abort()
    await over
  }
  teardown(t, stop)
  return stop
}
