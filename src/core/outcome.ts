import type { Failure } from './failure.ts'

/**
 * What a reconcile or a grant ends in. To throw is the fourth way: retried with back-off.
 * `requeueAfter` is for the moment something is due, never an interval to retry an error with.
 */
export type Outcome =
  | { readonly outcome: 'done' }
  | { readonly outcome: 'requeueAfter'; readonly ms: number }
  /** Retrying cannot help until the object itself changes: reported and counted, not repeated. */
  | { readonly outcome: 'terminal'; readonly failure: Failure }

export const done: Outcome = { outcome: 'done' }
export const requeueAfter = (ms: number): Outcome => ({ outcome: 'requeueAfter', ms })
export const terminal = (failure: Failure): Outcome => ({ outcome: 'terminal', failure })
