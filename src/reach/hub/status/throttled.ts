import { spokeReasons } from '../../../fleet/spoke/index.ts'
import type { Rule } from '../status-of.ts'

/** How long a cluster that answered 429 counts as throttling. */
export const throttledForMs = 60_000

export const throttled: Rule = ({ result: { throttledAt, server, failure }, now, before }) => {
  const isLately = throttledAt !== undefined && now.getTime() - throttledAt.getTime() < throttledForMs
  if (isLately)
    return {
      status: 'True',
      reason: spokeReasons.TooManyRequests,
      message: `${server} answers 429 and calls wait as it asks; lower spec.qps and spec.burst, or raise what it allows`,
    }
  // Of a cluster that is not reached it is not known.
  if (!before || failure) return undefined
  return { status: 'False', reason: spokeReasons.NotThrottled, message: `${server} no longer answers 429` }
}
