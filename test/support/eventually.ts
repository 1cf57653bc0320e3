import { setTimeout as delay } from 'node:timers/promises'
import { inspect } from 'node:util'

type NotYet = undefined | null | false

export interface EventuallyOptions<T> {
  /** When the answer will do. Default: when it is neither undefined, null nor false. */
  until?: (answer: T) => boolean
  /** Default 10 seconds. */
  withinMs?: number
  /** Default 25. */
  everyMs?: number
}

/**
 * Asks again and again until the answer will do, and returns it. For real servers only, whose clock is not ours; all
 * else moves the fake clock instead. A probe that throws ends the wait, unless it is an assertion: that means "not
 * yet", and is told when the time is up.
 *
 * @example const secret = await eventually('the agent keeps its kubeconfig', () => secrets.find('hub-kubeconfig'))
 */
export async function eventually<T>(
  what: string,
  probe: () => T | Promise<T>,
  { until = isThere, withinMs = 10_000, everyMs = 25 }: EventuallyOptions<T> = {},
): Promise<Exclude<T, NotYet>> {
  const startedAt = performance.now()
  for (;;) {
    let lastSeen: string
    try {
      const answer = await probe()
      if (until(answer)) return answer as Exclude<T, NotYet>
      lastSeen = inspect(answer, { depth: 6 })
    } catch (error) {
      if (!isAssertion(error)) throw error
      lastSeen = error.message
    }
    if (performance.now() - startedAt > withinMs)
      throw new Error(`not within ${withinMs} ms: ${what}; last seen: ${lastSeen}`)
    await delay(everyMs)
  }
}

const isThere = (answer: unknown): boolean => answer !== undefined && answer !== null && answer !== false

const isAssertion = (error: unknown): error is Error => error instanceof Error && error.name === 'AssertionError'
