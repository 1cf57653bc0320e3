import type { Secret } from 'kubernetes-types/core/v1.d.ts'
import type { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import type { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import { isTrue } from '../../core/conditions.ts'
import { conditions } from '../../fleet/names.ts'
import type { Stored } from '../../kube/objects.ts'
import { keyOf } from '../../kube/objects.ts'
import { holdsKubeconfig, isOurs } from './hub-objects.ts'
import { isInvited } from './invitation.ts'

/** What a cluster should have on the hub for a way in that its agent hands over. */
export type HandoverPlan =
  /** The Secret and the right to it; the ClusterConfig only once the Secret holds anything. */
  | { readonly is: 'wanted'; readonly withConfig: boolean }
  | { readonly is: 'unwanted' }
  /** Nothing, because somebody else made a ClusterConfig of that name: their way in is the one that counts. */
  | { readonly is: 'taken'; readonly by: string }

export function handoverPlan(
  cluster: Stored<ManagedCluster> | undefined,
  /** All of the name of the cluster, in whichever namespace. */
  named: readonly Stored<ClusterConfig>[],
  secret: Stored<Secret> | undefined,
): HandoverPlan {
  // The namespace of the cluster comes before this condition.
  if (!isInvited(cluster) || !isTrue(cluster.status?.conditions, conditions.accepted)) return { is: 'unwanted' }
  const own = named.find((config) => isOurs(config) && config.metadata.namespace === cluster.metadata.name)
  const other = named.find((config) => config !== own)
  // One that came later does not push out the one that works: then both are told, by whoever opens the cluster.
  if (other && !own) return { is: 'taken', by: keyOf(other) }
  return { is: 'wanted', withConfig: secret !== undefined && holdsKubeconfig(secret) }
}
