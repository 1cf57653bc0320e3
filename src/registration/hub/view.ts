import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import type { Lease } from 'kubernetes-types/coordination/v1.d.ts'
import type { Namespace } from 'kubernetes-types/core/v1.d.ts'
import type { ClusterRole, ClusterRoleBinding, RoleBinding } from 'kubernetes-types/rbac/v1.d.ts'
import { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import type { Clock } from '../../core/clock.ts'
import type { Run } from '../../core/lifecycle.ts'
import { runTogether } from '../../core/lifecycle.ts'
import type { Log } from '../../core/log.ts'
import type { Random } from '../../core/random.ts'
import { keptRequest } from '../../fleet/csr/kept.ts'
import { labels } from '../../fleet/names.ts'
import type { Informer } from '../../kube/informer.ts'
import { informer, withoutManagedFields } from '../../kube/informer.ts'
import {
  certificateSigningRequests,
  clusterRoleBindings,
  clusterRoles,
  leases,
  namespaces,
  roleBindings,
} from '../../kube/kinds.ts'
import type { Kube } from '../../kube/kube.ts'
import type { KubeObject, Resource } from '../../kube/objects.ts'
import type { Heartbeats } from './heartbeats.ts'
import { heartbeats } from './heartbeats.ts'

/** What the hub's controllers look at, watched once for all of them. */
export interface HubView {
  readonly clusters: Informer<ManagedCluster>
  /** Of clusters, not of add-ons: those with the label of a cluster and without that of an add-on. So are the rest. */
  readonly csrs: Informer<CertificateSigningRequest, 'cluster'>
  readonly namespaces: Informer<Namespace>
  readonly clusterRoles: Informer<ClusterRole>
  readonly clusterRoleBindings: Informer<ClusterRoleBinding>
  readonly roleBindings: Informer<RoleBinding>
  readonly leases: Informer<Lease>
  readonly heartbeats: Heartbeats
  readonly run: Run
}

const ofClusters = `${labels.clusterName},!${labels.addonName}`

export function hubView(kube: Kube, deps: { clock: Clock; random: Random; log: Log }): HubView {
  const watched = <T extends KubeObject>(resource: Resource<T>, labelSelector?: string) =>
    informer(kube.of(resource), {
      ...deps,
      // So that what could not be listed is told by name.
      log: deps.log.child({ kind: resource.kind }),
      transform: withoutManagedFields,
      ...(labelSelector !== undefined && { labelSelector }),
    })
  const view = {
    clusters: watched(ManagedCluster.resource),
    csrs: informer(kube.of(certificateSigningRequests), {
      ...deps,
      transform: keptRequest,
      labelSelector: ofClusters,
      indexes: { cluster: ({ metadata }) => [metadata.labels?.[labels.clusterName] ?? ''] },
    }),
    namespaces: watched(namespaces, ofClusters),
    clusterRoles: watched(clusterRoles, ofClusters),
    clusterRoleBindings: watched(clusterRoleBindings, ofClusters),
    roleBindings: watched(roleBindings, ofClusters),
    leases: watched(leases, ofClusters),
  }
  return {
    ...view,
    heartbeats: heartbeats(view.leases, deps.clock),
    run: (signal) =>
      runTogether(
        signal,
        Object.values(view).map(({ run }) => run),
      ),
  }
}
