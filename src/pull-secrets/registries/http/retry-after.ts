import type { Random } from '../../../core/random.ts'

const longestAskedMs = 60_000
const longestPauseMs = 10_000

/** Of a Retry-After header: seconds, or a date; at most a minute. Undefined when there is none that can be read. */
export function retryAfterMs(header: string | undefined, now: Date): number | undefined {
  const text = header?.trim() ?? ''
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, longestAskedMs)
  const at = Date.parse(text)
  // What is not a date in words (`-1`, `2`) is not one here either, whatever Date.parse makes of it.
  if (Number.isNaN(at) || !/[a-z]/i.test(text)) return undefined
  return Math.min(Math.max(0, at - now.getTime()), longestAskedMs)
}

/** Full jitter: anything between nothing and `base`, 2 × `base`, 4 × `base`…, so that many clients do not come back in step. */
export const pauseMs = (attempt: number, baseMs: number, random: Random): number =>
  Math.min(longestPauseMs, baseMs * 2 ** attempt) * random.fraction()
