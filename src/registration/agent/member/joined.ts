import type { ConditionReport } from '../../../core/conditions.ts'
import { conditions } from '../../../fleet/names.ts'
import { reasons } from '../../reasons.ts'

/** Set by the first status that an agent may write, and never taken back: that it can write at all is what it says. */
export const joined: ConditionReport = {
  type: conditions.joined,
  status: 'True',
  reason: reasons.ManagedClusterJoined,
  message: 'Managed cluster joined',
}
