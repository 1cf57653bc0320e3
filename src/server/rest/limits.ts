import type { Clock } from '../../core/clock.ts'
import type { LimitSettings } from '../../fleet/identity/index.ts'
import type { RestAppOptions } from './app.ts'
import { rateLimiter, windowLimiter } from './limiter.ts'

const hourMs = 3_600_000

/** Counted in this process: several of them let through as many times as much. */
export function limitsOf(
  { enabled, perMinute, burst, rotationsPerHour }: LimitSettings,
  clock: Pick<Clock, 'now'>,
): Pick<RestAppOptions, 'limits'> {
  if (!enabled) return {}
  return {
    limits: {
      every: rateLimiter(clock, { perMinute, burst }),
      named: { rotations: windowLimiter(clock, { most: rotationsPerHour, windowMs: hourMs }) },
    },
  }
}
