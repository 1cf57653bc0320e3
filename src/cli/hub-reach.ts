import { ClusterConfig } from '../apis/breakglass/cluster-config.ts'
import { IdentityProvider } from '../apis/breakglass/identity-provider.ts'
import type { ManagedCluster } from '../apis/cluster/managed-cluster.ts'
import type { Checkpoint } from '../core/checkpoint.ts'
import type { EgressRules } from '../core/egress.ts'
import type { Run } from '../core/lifecycle.ts'
import { runTogether } from '../core/lifecycle.ts'
import type { AdmissionWebhook } from '../fleet/admission.ts'
import type { Spokes, SpokeView } from '../fleet/spoke/index.ts'
import { createSpokes, spokeView } from '../fleet/spoke/index.ts'
import type { EventRecorder } from '../kube/events.ts'
import type { Informer } from '../kube/informer.ts'
import type { Kube } from '../kube/kube.ts'
import { reachWebhooks } from '../reach/admission/index.ts'
import { handoverHub } from '../reach/handover/hub.ts'
import { reachHub } from '../reach/hub/index.ts'
import type { ProcessDeps } from './process-parts.ts'
import type { ReachConfig } from './reach-schema.ts'
import { reachSettingsOf, spokeSettingsOf } from './reach-settings.ts'
import { onceServed } from './served-kinds.ts'

export interface HubReachDeps extends ProcessDeps {
  /** The hub. */
  kube: Kube
  events: EventRecorder
  checkpoint: Checkpoint
  /** Run by whoever made it, of several replicas in the one that leads. */
  clusters: Informer<ManagedCluster>
  labels: Readonly<Record<string, string>>
  /** Asked at each use. */
  config(): ReachConfig
  env: Readonly<Record<string, string | undefined>>
}

export interface HubReach {
  /** In every replica: whoever answers for people needs a way in too. */
  readonly everywhere: Run
  /** Of several replicas only the one that leads runs this. */
  readonly leading: Run
  readonly webhooks: readonly AdmissionWebhook[]
  readonly spokes: Spokes
  /** Where what users name may be. Asked at each use. */
  readonly egress: () => EgressRules
  readonly view: SpokeView
}

const reachKinds = { gate: 'Reach', kinds: [ClusterConfig.resource, IdentityProvider.resource] }

/** The hub's way into its clusters, put together. */
export function hubReach({ config, env, clusters, labels, ...deps }: HubReachDeps): HubReach {
  const view = spokeView(deps.kube, deps)
  const spokeSettings = () => spokeSettingsOf(config(), env)
  const spokes = createSpokes({ ...deps, view, settings: spokeSettings })
  const egress = () => spokeSettings().egress
  const parts = { ...deps, view, spokes, egress, settings: () => reachSettingsOf(config()) }
  const controllers = [reachHub(parts).run, handoverHub({ ...parts, clusters, labels }).run]
  const begin = onceServed(deps.kube, reachKinds, deps)
  return {
    everywhere: begin((signal) => runTogether(signal, [view.run, spokes.run])),
    leading: begin((signal) => runTogether(signal, controllers)),
    webhooks: reachWebhooks({ ...deps, trustsOnFirstUse: () => spokeSettings().trustOnFirstUse }),
    spokes,
    view,
    egress,
  }
}
