import type { Clock } from '../../../core/clock.ts'
import { isFailure } from '../../../core/failure.ts'
import type { Outcome } from '../../../core/outcome.ts'
import type { Random } from '../../../core/random.ts'
import { isWithoutCredentials } from './hub-by-hand.ts'
import { wait } from './hub-setbacks.ts'

/** Well below the workers of the membership: a cluster of another way finds one at any time, however slow AWS is. */
export const mostPasses = 8
/** AWS that could not be asked is left alone for this long; then one cluster tries. */
const pauseMs = 30_000
/** About what one pass takes. */
const turnMs = 1_000
const longestTurnMs = 30_000

export interface Gate {
  /**
   * What the work comes to; where it cannot be begun now, when to come back, without a wait here. `key` names the work
   * and its cluster. While AWS cannot be asked, each key is told why once.
   */
  pass(key: string, work: () => Promise<Outcome>): Promise<Outcome>
}

/** For whoever works for one cluster alone and wants to hear what AWS says. */
export const openGate: Gate = { pass: (_, work) => work() }

/** Lets few in at a time, and none while AWS cannot be asked, but one now and then to see whether it can be again. */
export function awsGate({ clock, random }: { clock: Pick<Clock, 'now'>; random: Random }): Gate {
  const turnedAway = new Set<string>()
  let inside = 0
  let outage: Outage | undefined
  let isTried = false

  function duringOutage({ why, at, told }: Outage, key: string): Outcome | undefined {
    if (!isTried && Math.abs(clock.now().getTime() - at) >= pauseMs) return undefined
    if (told.has(key)) return wait(pauseMs, random)
    told.add(key)
    throw why
  }

  function whenFull(key: string): Outcome {
    turnedAway.add(key)
    return wait(Math.min(longestTurnMs, turnMs * Math.ceil(turnedAway.size / mostPasses)), random)
  }

  async function letIn(key: string, work: () => Promise<Outcome>): Promise<Outcome> {
    const isTrial = outage !== undefined
    turnedAway.delete(key)
    inside += 1
    if (isTrial) isTried = true
    try {
      const outcome = await work()
      outage = undefined
      return outcome
    } catch (error) {
      if (isAway(error))
        outage = { why: error, at: clock.now().getTime(), told: (outage?.told ?? new Set<string>()).add(key) }
      else if (isFailure(error)) outage = undefined
      throw error
    } finally {
      inside -= 1
      if (isTrial) isTried = false
      // Whoever is still among them did not come back, and may never do.
      if (inside === 0) turnedAway.clear()
    }
  }

  return {
    async pass(key, work) {
      const notNow = outage && duringOutage(outage, key)
      if (notNow) return notNow
      return inside < mostPasses ? await letIn(key, work) : whenFull(key)
    },
  }
}

/** AWS could not be asked, and has given no answer since. */
interface Outage {
  why: unknown
  at: number
  /** Keys that know. */
  told: Set<string>
}

const isAway = (error: unknown): boolean =>
  isFailure(error, 'AWS_UNAVAILABLE') || isFailure(error, 'AWS_DEADLINE') || isWithoutCredentials(error)
