import { eventually } from './eventually.ts'
import type { FakeClock } from './fake-clock.ts'

/** Looks again and again, with `stepMs` of fake time between two looks. */
export const advanceUntil = (clock: FakeClock, what: string, holds: () => boolean, stepMs: number): Promise<true> =>
  eventually(
    what,
    async () => {
      if (!holds()) await clock.advance(stepMs)
      return holds()
    },
    { withinMs: 60_000, everyMs: 25 },
  )
