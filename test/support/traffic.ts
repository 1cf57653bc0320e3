import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../../src/core/clock.ts'
import type { RequestSample } from '../../src/kube/client/index.ts'
import { eventually } from './eventually.ts'
import type { FakeClock } from './fake-clock.ts'

export interface Heard {
  /** When it was answered or lost, by the test's clock. Milliseconds. */
  at: number
  /** When it was sent, by the real clock. Milliseconds. */
  sentAt: number
  /** As `PATCH managedclusters.cluster.open-cluster-management.io/status`. */
  what: string
  /** 0: it was lost. */
  code: number
  watch: boolean
}

export interface Traffic {
  onRequest(sample: RequestSample): void
  onCall(): () => void
  readonly count: number
  /** Calls that are under way, of clients that were given `onCall`. */
  readonly open: number
  readonly all: readonly Heard[]
  since(count: number): readonly Heard[]
  /** That the clients who share this kept their limit, over any second. Watches are not limited. */
  assertWithin(limit: { qps: number; burst: number }): void
}

/** What clients on the system's clock asked for: give `onRequest` to them, and `onCall` where time is to wait for them. */
export function traffic(clock: Clock): Traffic {
  const heard: Heard[] = []
  let open = 0
  return {
    all: heard,
    onRequest({ method, target, code, ms, watch }) {
      heard.push({ at: clock.now().getTime(), sentAt: Date.now() - ms, what: `${method} ${target}`, code, watch })
    },
    onCall() {
      open += 1
      return () => {
        open -= 1
      }
    },
    get count() {
      return heard.length
    },
    get open() {
      return open
    },
    since: (count) => heard.slice(count),
    assertWithin({ qps, burst }) {
      const sent = heard.filter(({ watch }) => !watch).map(({ sentAt }) => sentAt)
      assert.ok(mostWithin(1_000, sent) <= burst + qps + rounding, `${mostWithin(1_000, sent)} calls in a second`)
    },
  }
}

/**
 * Lets time pass second by second, each with what it sets off on the network: however long a server takes, its answers are
 * of the second in which they were asked for.
 */
export async function live(clock: FakeClock, seconds: number, ...heard: readonly Traffic[]): Promise<void> {
  const count = () => heard.reduce((sum, traffic) => sum + traffic.count, 0)
  const isOpen = () => heard.some(({ open }) => open > 0)
  for (let second = 0; second < seconds; second += 1) {
    await clock.advance(1_000)
    for (let seen = -1; seen !== count() || isOpen(); ) {
      seen = count()
      await delay(20)
    }
  }
}

/** Lives until it holds. */
export const liveUntil = (
  clock: FakeClock,
  what: string,
  holds: () => boolean,
  ...heard: readonly Traffic[]
): Promise<true> =>
  eventually(
    what,
    async () => {
      if (!holds()) await live(clock, 1, ...heard)
      return holds()
    },
    { withinMs: 60_000, everyMs: 0 },
  )

/** How many of these calls fall into one second at most. */
export const busiest = (calls: readonly Heard[]): number =>
  mostWithin(
    1_000,
    calls.map(({ at }) => at),
  )

/** Moments are whole milliseconds. */
const rounding = 2

/** How many of these moments fall together at most. */
export function mostWithin(ms: number, moments: readonly number[]): number {
  const sorted = moments.toSorted((a, b) => a - b)
  let [most, first] = [0, 0]
  for (const [index, moment] of sorted.entries()) {
    while ((sorted[first] ?? moment) <= moment - ms) first += 1
    most = Math.max(most, index - first + 1)
  }
  return most
}
