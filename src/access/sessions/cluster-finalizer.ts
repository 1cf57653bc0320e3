import { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import type { Checkpoint } from '../../core/checkpoint.ts'
import { isAbsent, isConflict } from '../../kube/failures.ts'
import type { CallOptions, Kube } from '../../kube/kube.ts'
import type { Stored } from '../../kube/objects.ts'
import { clusterFinalizer } from '../names.ts'
import { failures } from './failures.ts'

const mostTries = 10
const hasFinalizer = ({ metadata }: Stored<ClusterConfig>): boolean =>
  (metadata.finalizers ?? []).includes(clusterFinalizer)

/** Makes sure that a cluster does not go before its sessions have ended. Refuses for one that is on its way out. */
export const finalizing =
  ({ kube, checkpoint }: { kube: Kube; checkpoint: Checkpoint }) =>
  async (cluster: Stored<ClusterConfig>, options: CallOptions): Promise<void> => {
    if (hasFinalizer(cluster)) return
    const { name, namespace } = cluster.metadata
    const collection = kube.of(ClusterConfig.resource, namespace)
    for (let tried = 0; tried < mostTries; tried += 1) {
      const found = await collection.find(name, options)
      if (!found || found.metadata.deletionTimestamp !== undefined)
        throw failures.ACCESS_CLUSTER_LEAVING({ cluster: name })
      if (hasFinalizer(found)) return
      const finalizers = [...(found.metadata.finalizers ?? []), clusterFinalizer]
      const body = { metadata: { resourceVersion: found.metadata.resourceVersion, finalizers } }
      try {
        await collection.patch(name, { type: 'merge', body }, options)
        checkpoint('access.finalizer-added')
        return
      } catch (error) {
        if (!isConflict(error) && !isAbsent(error)) throw error
      }
    }
    throw failures.ACCESS_BUSY()
  }
