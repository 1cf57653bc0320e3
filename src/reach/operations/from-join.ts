import { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import type { Step } from '../../core/step.ts'
import { spokeAnnotations, spokeLabels } from '../../fleet/spoke/names.ts'
import { howToOffer, isAsked } from '../overview/pending-asks.ts'
import { readClusterConfigs } from '../overview/read-cluster-configs.ts'
import type { ReachOperationDeps } from './deps.ts'
import { failures } from './failures.ts'

/** Asks the agent of a cluster for a way in: the hub makes the ClusterConfig once it has been handed over. Repeats well. */
export async function* addFromJoin(cluster: string, { kube, signal }: ReachOperationDeps): AsyncGenerator<Step> {
  yield { doing: `asking the agent of ${cluster} for a way in` }
  const clusters = kube.of(ManagedCluster.resource)
  const found = await clusters.find(cluster, { signal })
  if (!found) throw failures.REACH_CLUSTER_UNKNOWN({ cluster })
  if (!found.spec?.hubAcceptsClient) throw failures.REACH_CLUSTER_NOT_ACCEPTED({ cluster })
  const other = (await readClusterConfigs(kube, { signal })).find(
    ({ metadata }) => metadata.name === cluster && metadata.labels?.[spokeLabels.handover] === undefined,
  )
  if (other) throw failures.REACH_TAKEN({ cluster, namespace: other.metadata.namespace })
  if (isAsked(found.metadata)) return yield { did: `the agent of ${cluster} is asked for a way in already` }
  const annotations = { [spokeAnnotations.reach]: 'true' }
  await clusters.patch(cluster, { type: 'merge', body: { metadata: { annotations } } }, { signal })
  yield {
    did: `the agent of ${cluster} is asked for a way in`,
    detail: `it hands one over after ${howToOffer}`,
  }
}
