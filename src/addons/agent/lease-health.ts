import type { Lease } from 'kubernetes-types/coordination/v1.d.ts'
import type { ManagedClusterAddOn } from '../../apis/addon/managed-cluster-addon.ts'
import { after } from '../../core/clock.ts'
import type { Condition, ConditionReport } from '../../core/conditions.ts'
import { findCondition } from '../../core/conditions.ts'
import type { Reason } from '../../core/reason.ts'
import { addonConditions } from '../../fleet/names.ts'
import { reasons } from '../reasons.ts'
import type { AddonSettings } from './deps.ts'

export interface LeaseVerdict {
  readonly report: ConditionReport
  /** When it becomes another one by itself. */
  readonly until?: Date
}

/** Whether the agent says how the add-on is doing; of others whoever manages them does. */
export const isJudgedByLease = ({ status }: ManagedClusterAddOn): boolean =>
  (status?.healthCheck?.mode ?? 'Lease') === 'Lease'

/** How an add-on is doing by its lease. One that was never renewed is none. */
export function judgeAddonLease(
  addon: string,
  lease: Pick<Lease, 'spec'> | undefined,
  now: Date,
  settings: Pick<AddonSettings, 'leaseDurationSeconds' | 'leaseGraceFactor'>,
): LeaseVerdict {
  const renewedAt = new Date(`${lease?.spec?.renewTime ?? ''}`)
  if (Number.isNaN(renewedAt.getTime()))
    return verdict('Unknown', reasons.ManagedClusterAddOnLeaseNotFound, `The status of ${addon} add-on is unknown.`)
  const until = after(renewedAt, settings.leaseDurationSeconds * settings.leaseGraceFactor * 1_000)
  if (until <= now)
    return verdict('False', reasons.ManagedClusterAddOnLeaseUpdateStopped, `${addon} add-on is not available.`)
  return { ...verdict('True', reasons.ManagedClusterAddOnLeaseUpdated, `${addon} add-on is available.`), until }
}

const verdict = (status: Condition['status'], reason: Reason, message: string): LeaseVerdict => ({
  report: { type: addonConditions.available, status, reason, message },
})

/** The hub called the add-on unreachable with its whole cluster. The agent leaves that until the hub hears the cluster again. */
export function isCalledUnreachable({ status }: ManagedClusterAddOn): boolean {
  const found = findCondition(status?.conditions as Condition[] | undefined, addonConditions.available)
  return found?.status === 'Unknown' && found.reason !== reasons.ManagedClusterAddOnLeaseNotFound
}
