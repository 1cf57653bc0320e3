import { isDeepStrictEqual } from 'node:util'

/** What is wrong with one field, and what to do about it. */
export interface Mistake {
  /** As people write it: `spec.oidcAuth.server`. */
  readonly field: string
  readonly problem: string
  /** What makes it wrong. */
  readonly value: unknown
}

/** In this order: what it is about, what should be, and what makes it wrong. */
export const mistake = (field: string, problem: string, value?: unknown): Mistake => ({ field, problem, value })

/** Undefined when there are none. All at once: whoever mends them should not come back for each. */
export const sentenceOf = (mistakes: readonly Mistake[]): string | undefined =>
  mistakes.length === 0 ? undefined : mistakes.map(({ field, problem }) => `${field}: ${problem}`).join('. ')

/** Those that were not there before: what is stored may stay as it is, so that an old object can still be changed. */
export const newOnes = (mistakes: readonly Mistake[], before: readonly Mistake[]): Mistake[] =>
  mistakes.filter((one) => !before.some((known) => isDeepStrictEqual(known, one)))
