import type { ConditionReport } from '../../../core/conditions.ts'
import { rfc3339 } from '../../../core/conditions.ts'
import type { Report } from '../../../core/keep-fresh.ts'
import { reasons as coreReasons } from '../../../core/reasons.ts'
import { addonConditions } from '../../../fleet/names.ts'
import { reasons } from '../../reasons.ts'
import type { Infrastructure } from './accounts.ts'

type Told = Pick<ConditionReport, 'status' | 'reason' | 'message'>

/**
 * What the hub is told of a token, under both of its names.
 *
 * @param expiresAt of the token at hand, by the hub's clock
 */
export function tokenConditions(
  report: Report,
  infrastructure: Infrastructure,
  expiresAt: Date | undefined,
): ConditionReport[] {
  const told = toldOf(report, infrastructure, expiresAt)
  return addonConditions.tokenRefreshed.map((type) => ({ type, ...told }))
}

function toldOf({ state, usable, message }: Report, infrastructure: Infrastructure, expiresAt: Date | undefined): Told {
  const stillGood = usable && expiresAt ? `; the token at hand is good until ${rfc3339(expiresAt)}` : ''
  switch (state) {
    case coreReasons.PassIssued:
      return {
        status: 'True',
        reason: reasons.AddonTokenRefreshed,
        message: `Addon token refreshed, expires at ${expiresAt ? rfc3339(expiresAt) : 'an unknown time'}`,
      }
    case reasons.AwaitingTokenInfrastructure:
      return {
        status: 'False',
        reason: reasons.AwaitingTokenInfrastructure,
        message: `the hub has not announced the account of the add-on; its condition ${addonConditions.tokenInfrastructureReady} says what it waits for`,
      }
    case reasons.AccountRefused: {
      const announced = infrastructure.is === 'foreign' ? `: "${infrastructure.message}"` : ''
      return {
        status: 'False',
        reason: reasons.AccountRefused,
        message: `the hub announces an account that is not one of this add-on${announced}; no token is asked for, check who writes the condition ${addonConditions.tokenInfrastructureReady}${stillGood}`,
      }
    }
    default:
      return {
        status: 'False',
        reason: reasons.TokenCreationFailed,
        message: `${message ?? 'no token could be had; it is tried again'}${stillGood}`,
      }
  }
}
