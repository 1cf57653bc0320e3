import type { Random } from './random.ts'

export interface BackoffOptions {
  /** Milliseconds before the first retry. */
  baseMs: number
  /** No wait is longer than this. */
  maxMs: number
  /** Growth from one wait to the next. Default 2. */
  factor?: number
  /** Share of each wait that is drawn at random, so that a fleet does not retry in step. Default 0.2. */
  jitter?: number
}

/** Milliseconds to wait before retry number `attempt`, counted from 0. */
export function backoffMs(attempt: number, options: BackoffOptions, random: Random): number {
  const { baseMs, maxMs, factor = 2, jitter = 0.2 } = options
  const full = Math.min(maxMs, baseMs * factor ** Math.min(attempt, 64))
  return Math.round(full * (1 - jitter * random.fraction()))
}
