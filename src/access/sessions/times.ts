import { rfc3339 } from '../../core/conditions.ts'

/** Undefined for what is absent or no time. */
export function timeOf(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined
  const time = new Date(text)
  return Number.isNaN(time.getTime()) ? undefined : time
}

/** As status has it: in whole seconds, and never later than it is. */
export const stamp = rfc3339

export const plus = (start: Date, ms: number): Date => new Date(start.getTime() + ms)

export const earliest = (...times: readonly (Date | undefined)[]): Date | undefined => pick(times, (a, b) => a < b)
export const latest = (...times: readonly (Date | undefined)[]): Date | undefined => pick(times, (a, b) => a > b)

const pick = (times: readonly (Date | undefined)[], isBetter: (a: Date, b: Date) => boolean): Date | undefined =>
  times.reduce((best, time) => (time && (!best || isBetter(time, best)) ? time : best), undefined)
