import type { ReasonConfig } from '../../apis/breakglass/common.ts'
import type { Failure } from '../../core/failure.ts'
import { failures } from './failures.ts'

/** Characters, not units of UTF-16. */
export const longestReason = 500

/** What is wrong with the reason that somebody gave. It is kept as it was written: whoever shows it escapes it. */
export function whyNotReason(
  reason: string | undefined,
  config: ReasonConfig | undefined,
  isMandatory: boolean = config?.mandatory === true,
): Failure | undefined {
  const length = [...(reason ?? '')].length
  if (length > longestReason) return failures.ACCESS_REASON_TOO_LONG({ most: longestReason, length })
  if (isMandatory && (reason ?? '').trim() === '')
    return failures.ACCESS_REASON_MISSING({ advice: config?.description || 'a reason is mandatory here' })
  return undefined
}

export const leastSeconds = 60
