import type { EventuallyOptions } from './eventually.ts'
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
    { withinMs: 60_000 },
  )

const patientLooks = 20
const nudgeMs = 20

/**
 * `eventually` for what is done by the fake clock. A write that met a conflict is tried again by that clock, so once the
 * answer is late a little time passes between two looks; where all goes well none does.
 */
export function eventuallyOn<T>(
  clock: FakeClock,
  what: string,
  probe: () => T | Promise<T>,
  options?: EventuallyOptions<T>,
): ReturnType<typeof eventually<T>> {
  let looks = 0
  return eventually(
    what,
    async () => {
      looks += 1
      if (looks > patientLooks) await clock.advance(nudgeMs)
      return probe()
    },
    options,
  )
}
