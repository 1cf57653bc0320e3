import type { ConditionReport } from '../../../core/conditions.ts'
import { annotations, conditions } from '../../../fleet/names.ts'
import { reasons } from '../../reasons.ts'

/**
 * What is said of a cluster whose clock is `skewMs` behind the hub's (ahead, when negative). Nothing depends on it:
 * leases are judged by the hub's own clock.
 */
export function reportSkew(skewMs: number, graceMs: number): ConditionReport {
  const type = conditions.clockSynced
  if (Math.abs(skewMs) < graceMs)
    return {
      type,
      status: 'True',
      reason: reasons.ManagedClusterClockSynced,
      message: 'The clocks of the cluster and the hub agree.',
    }
  const seconds = Math.round(Math.abs(skewMs) / 1_000)
  const direction = skewMs > 0 ? 'behind' : 'ahead of'
  return {
    type,
    status: 'False',
    reason: reasons.ManagedClusterClockOutOfSync,
    message: `The clock of the cluster is ${seconds} seconds ${direction} the hub's. Set the time of its nodes right, for example with NTP; the annotation ${annotations.skipClockSyncCheck}: "true" ends this check. The cluster is judged by the hub's clock meanwhile.`,
  }
}

/** Whether people should read another number than the one that stands there. */
export const isWorthTelling = (skewMs: number, toldMs: number | undefined, graceMs: number): boolean =>
  toldMs === undefined || Math.abs(skewMs - toldMs) >= graceMs / 2
