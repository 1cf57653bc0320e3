import type { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import type { Run } from '../../../core/lifecycle.ts'
import type { Stored } from '../../../kube/objects.ts'
import type { HubDeps } from '../deps.ts'
import { clockController } from './clock.ts'
import { contact } from './contact.ts'
import { leaseController } from './lease.ts'
import { signsOfLife } from './signs-of-life.ts'
import { taintController } from './taints.ts'

/** How clusters are doing: their leases, their clocks, and the taints that follow from it. */
export function healthRuns(deps: HubDeps, areTaintsLeft?: (cluster: Stored<ManagedCluster>) => boolean): Run[] {
  const hearing = deps.contact ?? contact(deps)
  const life = signsOfLife(deps.view.clusters, deps.clock)
  return [
    hearing.run,
    leaseController(deps, hearing, life).run,
    clockController(deps, hearing).run,
    taintController(deps, areTaintsLeft).run,
  ]
}
