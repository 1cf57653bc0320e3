import { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import type { Kube } from '../../../kube/kube.ts'
import type { Stored } from '../../../kube/objects.ts'
import { dueTo } from './hub-due.ts'
import type { Step } from './hub-plan.ts'
import { planToRevoke } from './hub-plan.ts'
import type { AwsRecord } from './hub-record.ts'
import { recordOn, writeRecord } from './hub-record.ts'
import type { AwsWork } from './hub-work.ts'
import type { EksCluster } from './names.ts'

type Cluster = Stored<ManagedCluster>

export interface OrphanDeps extends Pick<AwsWork, 'look' | 'take'> {
  hub: EksCluster
  kube: Kube
}

/** What a pass that did not get as far as its last record leaves in AWS. */
export interface Unrecorded {
  cluster: Cluster
  record: AwsRecord
  /** Those that AWS confirmed, in their order. One more may have happened. */
  taken: readonly Step[]
}

/**
 * Sees to it that nothing stays in AWS which no record tells of. While a pass waited for AWS, another hub may have taken
 * the lead, or a person may have run a command: the cluster was denied, its record removed, and only then came what this
 * pass had asked for. Does nothing while the record is there: the next pass, whoever's it is, goes by that.
 */
export async function leaveNoOrphans(deps: OrphanDeps, left: Unrecorded): Promise<void> {
  const { hub, kube } = deps
  const { role } = left.record
  const { name, uid } = left.cluster.metadata
  const newer = await kube.of(ManagedCluster.resource).find(name)
  if (newer && recordOn(newer)?.role === role) return
  const same = newer?.metadata.uid === uid ? newer : undefined
  const record = { ...left.record, isBegun: true }
  if (newer && isToHave(newer, hub, role)) {
    if (same) await writeRecord(kube, same, record)
    return
  }
  try {
    await undo(deps, left)
  } catch (error) {
    // Then somebody has to come back for it.
    if (same) await writeRecord(kube, same, record)
    else await Promise.allSettled([writeRecord(kube, gone(left.cluster), record)])
    throw error
  }
}

/** Of one that is gone, its namespace alone tells. */
const gone = (cluster: Cluster): Cluster => ({ ...cluster, metadata: { ...cluster.metadata, resourceVersion: '' } })

/** What AWS confirmed goes without a look, which may not show it yet; the rest by the plan, which knows what is ours. */
async function undo({ hub, look, take }: OrphanDeps, { cluster, record, taken }: Unrecorded): Promise<void> {
  const { role } = record
  const { name, uid } = cluster.metadata
  for (const step of taken.toReversed().flatMap(inverse)) await take(role, step)
  const { steps } = planToRevoke(
    { hub, name, uid },
    { role, isOnRecord: false },
    await look(role, record.mappings, { withPolicies: true }),
  )
  for (const step of steps) await take(role, step)
}

function inverse(step: Step): Step[] {
  switch (step.step) {
    case 'create-role':
      return [{ step: 'remove-role', role: step.role }]
    case 'write-access':
      return [{ step: 'remove-policy', role: step.role, policy: step.policy }]
    case 'map':
      return [{ step: 'unmap', kind: step.kind }]
    default:
      return []
  }
}

function isToHave(cluster: Cluster, hub: EksCluster, role: string): boolean {
  if (cluster.spec?.hubAcceptsClient !== true || cluster.metadata.deletionTimestamp) return false
  const due = dueTo(cluster, hub)
  return due.due === 'role' && due.role === role
}
