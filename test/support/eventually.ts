import { setTimeout as delay } from 'node:timers/promises'
import { inspect } from 'node:util'
import type { Clock } from '../../src/core/clock.ts'
import { FakeClock } from './fake-clock.ts'
import type { TestScope } from './test-scope.ts'
import { teardown } from './test-scope.ts'

type NotYet = undefined | null | false

export interface EventuallyOptions<T> {
  /** When the answer will do. Default: when it is neither undefined, null nor false. */
  until?: (answer: T) => boolean
  /** Where even longer than the patience of all is needed. */
  withinMs?: number
  /** Default: 25, and after half a second less and less often, up to 100: each look may be a call to a server. */
  everyMs?: number
  /** Whether clocks go on once it waits for long. `stands`: what is awaited must happen without. Default: `goes on`. */
  clock?: 'goes on' | 'stands'
}

/** On a real control plane, its garbage collector looks for new kinds only every 30 seconds. */
const patientMs = process.env['CONTROL_PLANE'] === 'kube' ? 75_000 : 30_000
/** Once so long was waited in vain, the clocks of what runs in this process go on almost as fast as real ones. */
const patienceMs = 500
const nudge = 0.8
const idleClocks = new Set<FakeClock>()

/**
 * Says that something runs by this clock beside the test. A write that met a conflict, or a list of a kind that has just
 * come into being, is tried again by that clock: where it stands still, `eventually` would wait in vain.
 */
export function livesBy(t: TestScope, clock: Clock): void {
  if (!(clock instanceof FakeClock) || idleClocks.has(clock)) return
  idleClocks.add(clock)
  teardown(t, () => void idleClocks.delete(clock))
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
  { until = isThere, withinMs: wanted = 0, everyMs, clock: pace = 'goes on' }: EventuallyOptions<T> = {},
  leastMs: number = patientMs,
): Promise<Exclude<T, NotYet>> {
  const withinMs = Math.max(wanted, leastMs)
  const startedAt = performance.now()
  for (;;) {
    let lastSeen: () => string
    try {
      const answer = await probe()
      if (until(answer)) return answer as Exclude<T, NotYet>
      lastSeen = () => inspect(answer, { depth: 6 })
    } catch (error) {
      if (!isAssertion(error)) throw error
      lastSeen = () => error.message
    }
    const waitedMs = performance.now() - startedAt
    if (waitedMs > withinMs) throw new Error(`not within ${withinMs} ms: ${what}; last seen: ${lastSeen()}`)
    const pauseMs = everyMs ?? Math.min(100, Math.max(25, waitedMs / 20))
    await delay(pauseMs)
    if (waitedMs > patienceMs && pace === 'goes on')
      for (const clock of idleClocks) await clock.advance(nudge * pauseMs)
  }
}

const isThere = (answer: unknown): boolean => answer !== undefined && answer !== null && answer !== false

const isAssertion = (error: unknown): error is Error => error instanceof Error && error.name === 'AssertionError'
