import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import type { Lease } from 'kubernetes-types/coordination/v1.d.ts'
import { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import { labels, leaseName } from '../../fleet/names.ts'
import { isForbidden } from '../../kube/failures.ts'
import { certificateSigningRequests, leases } from '../../kube/kinds.ts'
import type { CallOptions, Kube } from '../../kube/kube.ts'
import type { KubeObject, List, Stored } from '../../kube/objects.ts'
import type { ClusterOverview } from './cluster-overview.ts'
import { clusterOverview } from './cluster-overview.ts'

/** Everything on the hub that tells how clusters stand. */
export interface FleetSnapshot {
  readonly clusters: readonly Stored<ManagedCluster>[]
  readonly leases: ReadonlyMap<string, Stored<Lease>>
  readonly csrs: ReadonlyMap<string, readonly Stored<CertificateSigningRequest>[]>
  /** Kinds this user may not list: what they would tell is left out. */
  readonly forbidden: readonly string[]
}

const ofClusters = { labelSelector: `${labels.clusterName},!${labels.addonName}` }

/** Three lists, whatever the number of clusters. */
export async function readClusters(kube: Kube, options: CallOptions = {}): Promise<FleetSnapshot> {
  const forbidden: string[] = []
  const allowed = async <T extends KubeObject>(kind: string, asking: Promise<List<T>>): Promise<Stored<T>[]> => {
    try {
      return (await asking).items
    } catch (error) {
      if (!isForbidden(error)) throw error
      forbidden.push(kind)
      return []
    }
  }
  const [clusters, found, csrs] = await Promise.all([
    kube.of(ManagedCluster.resource).list(options),
    allowed('leases', kube.of(leases).list({ ...options, ...ofClusters })),
    allowed('certificatesigningrequests', kube.of(certificateSigningRequests).list({ ...options, ...ofClusters })),
  ])
  return {
    clusters: clusters.items,
    leases: new Map(
      found
        .filter(({ metadata }) => metadata.name === leaseName)
        .map((lease) => [lease.metadata.namespace ?? '', lease]),
    ),
    csrs: Map.groupBy(csrs, ({ metadata }) => metadata.labels?.[labels.clusterName] ?? ''),
    forbidden,
  }
}

export const overviewIn = (snapshot: FleetSnapshot, cluster: Stored<ManagedCluster>): ClusterOverview =>
  clusterOverview(cluster, {
    lease: snapshot.leases.get(cluster.metadata.name),
    csrs: snapshot.csrs.get(cluster.metadata.name) ?? [],
  })
