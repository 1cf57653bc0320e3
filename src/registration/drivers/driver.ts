import type { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import type { Run } from '../../core/lifecycle.ts'
import type { Grant } from '../../core/pass.ts'
import type { Stored } from '../../kube/objects.ts'

/** The hub's half of a way to join. */
export interface HubDriver {
  readonly name: 'csr' | 'awsirsa' | 'grpc'
  /** What an accepted cluster gets beyond namespace and RBAC, and loses when it is denied or deleted. */
  readonly grant: Grant<Stored<ManagedCluster>>
  /** Whether the hub may accept this new cluster by itself. Asked once; all drivers must agree. */
  mayAutoAccept(cluster: Stored<ManagedCluster>): boolean
  /** Its own controllers, such as the approval of CSRs. */
  readonly run: Run
}
