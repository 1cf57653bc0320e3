import { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import { sleep } from '../../core/clock.ts'
import type { Step } from '../../core/step.ts'
import { spokeAnnotations } from '../../fleet/spoke/names.ts'
import type { Stored } from '../../kube/objects.ts'
import type { ClusterConfigOverview } from '../overview/cluster-config-overview.ts'
import { clusterConfigOverview } from '../overview/cluster-config-overview.ts'
import { findClusterConfig } from '../overview/read-cluster-configs.ts'
import type { ReachOperationDeps } from './deps.ts'
import { failures } from './failures.ts'

export interface CheckWish {
  name: string
  namespace?: string | undefined
  timeoutMs: number
}

const everyMs = 100

/** Has the hub look at a cluster now, and tells what it found; throws where it does not get in. */
export async function* checkReach(wish: CheckWish, deps: ReachOperationDeps): AsyncGenerator<Step> {
  const { name, namespace, timeoutMs } = wish
  const { kube, clock, signal } = deps
  yield { doing: `the hub looks at ${name}` }
  const before = await findClusterConfig(kube, name, { signal, namespace })
  const configs = kube.of(ClusterConfig.resource, before.metadata.namespace)
  let config = await requestCheck(before.metadata, deps)
  const giveUpAt = clock.now().getTime() + timeoutMs
  while (!isAnswered(config)) {
    if (clock.now().getTime() > giveUpAt)
      throw failures.REACH_HUB_SILENT({ name, seconds: Math.round(timeoutMs / 1_000) })
    await sleep(clock, everyMs, signal)
    config = await configs.get(name, { signal })
  }
  yield verdictOn(clusterConfigOverview(config))
}

/** The hub looks at the cluster soon; `isAnswered` once it has. */
export function requestCheck(
  { name, namespace }: { name: string; namespace?: string },
  { kube, clock, signal }: ReachOperationDeps,
): Promise<Stored<ClusterConfig>> {
  const annotations = { [spokeAnnotations.checkRequestedAt]: clock.now().toISOString() }
  const patch = { type: 'merge', body: { metadata: { annotations } } } as const
  return kube.of(ClusterConfig.resource, namespace).patch(name, patch, { signal })
}

/** Or whoever asked after us is, which is as good. */
export const isAnswered = ({ status, metadata }: Stored<ClusterConfig>): boolean =>
  status?.answeredCheck === metadata.annotations?.[spokeAnnotations.checkRequestedAt] &&
  status?.observedGeneration === metadata.generation

/** Throws REACH_FAILED for one that is not Ready. @param who got in, or did not */
export function verdictOn(found: ClusterConfigOverview, who = 'the hub'): Extract<Step, { did: string }> {
  const { name, ready, reason, message = '', server = '', permissions, warnings } = found
  if (ready !== 'True') throw failures.REACH_FAILED({ who, name, reason, message })
  const lacks = permissions === 'True' ? [] : [`it lacks rights there: \`lanyard reach rbac ${name}\``]
  return { did: `${who} gets into ${name}`, detail: [reason, server, ...warnings, ...lacks].join(', ') }
}
