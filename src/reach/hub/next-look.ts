import { createHash } from 'node:crypto'
import { backoffMs } from '../../core/backoff.ts'
import type { Random } from '../../core/random.ts'
import type { Key } from '../../kube/objects.ts'
import type { CheckResult } from './check.ts'
import type { ReachSettings } from './deps.ts'
import { throttledForMs } from './status/throttled.ts'

export interface NextLook {
  key: Key
  result: CheckResult
  /** How often the same thing has failed before, in a row. */
  attempt: number
  now: Date
  settings: ReachSettings
  random: Random
}

/** Milliseconds until a cluster that nothing happens to is looked at again. */
export function nextLookMs({ key, result, attempt, now, settings, random }: NextLook): number {
  const { checkIntervalMs, retryMs } = settings
  // The very moment it may be called again, so that the look is the trial.
  if (result.failure?.pausedMs !== undefined) return result.failure.pausedMs
  const regular = untilTurnMs(key, checkIntervalMs, now)
  if (result.failure || !hasAllRights(result))
    return Math.min(backoffMs(attempt, { baseMs: retryMs.first, maxMs: retryMs.most }, random), checkIntervalMs)
  const { throttledAt } = result
  const calmInMs = throttledAt ? throttledAt.getTime() + throttledForMs - now.getTime() : 0
  return calmInMs > 0 ? Math.min(calmInMs, regular) : regular
}

/** Nobody tells the hub when somebody grants it the rest. */
export const hasAllRights = ({ permissions = [] }: CheckResult): boolean =>
  permissions.length > 0 && permissions.every(({ isAllowed }) => isAllowed)

/**
 * Each cluster has its own place in the interval, by its name: the looks at a fleet are spread over it from the start,
 * and stay spread however often the hub is restarted.
 */
export function untilTurnMs(key: Key, intervalMs: number, now: Date): number {
  const share = createHash('sha256').update(key).digest().readUInt32BE() / 2 ** 32
  const since = (now.getTime() - Math.floor(share * intervalMs)) % intervalMs
  return intervalMs - since
}
