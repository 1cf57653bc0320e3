import type { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import { spokeAnnotations, spokeLabels } from '../../fleet/spoke/names.ts'
import { isForbidden, isNotFound } from '../../kube/failures.ts'
import type { CallOptions, Kube } from '../../kube/kube.ts'
import type { Stored } from '../../kube/objects.ts'

/** A cluster whose agent is asked for a way in and has handed none over: there is no ClusterConfig that could tell. */
export interface PendingAsk {
  readonly name: string
  readonly ready: 'Unknown'
  readonly pending: true
  readonly message: string
}

/** An agent that is merely started with the flag hands over an account without rights: they come with the installation. */
export const howToOffer =
  '`lanyard join --offer-reach` on the cluster, or `lanyard deploy agent --offer-reach` applied to it'

/** Whoever may not look at clusters is told of none. */
export async function readPendingAsks(
  kube: Kube,
  configs: readonly Stored<ClusterConfig>[],
  options: CallOptions,
): Promise<PendingAsk[]> {
  const clusters = await kube
    .of(ManagedCluster.resource)
    .list(options)
    .catch((error: unknown) => {
      if (isForbidden(error) || isNotFound(error)) return { items: [] }
      throw error
    })
  return pendingAsks(clusters.items, configs)
}

export function pendingAsks(
  clusters: readonly Stored<ManagedCluster>[],
  configs: readonly Stored<ClusterConfig>[],
): PendingAsk[] {
  const handedOver = new Set(
    configs.filter(isHandedOver).map(({ metadata: { name, labels } }) => labels?.[spokeLabels.cluster] ?? name),
  )
  return clusters
    .filter(({ metadata }) => isAsked(metadata) && !handedOver.has(metadata.name))
    .map(({ metadata: { name } }) => ({ name, ready: 'Unknown' as const, pending: true as const, message }))
    .toSorted((a, b) => a.name.localeCompare(b.name))
}

const message = `its agent is asked for a way in and has not handed one over; it does after ${howToOffer}`

export const isAsked = ({ annotations }: Stored<ManagedCluster>['metadata']): boolean =>
  annotations?.[spokeAnnotations.reach] === 'true'

export const isHandedOver = ({ metadata }: Stored<ClusterConfig>): boolean =>
  metadata.labels?.[spokeLabels.handover] !== undefined
