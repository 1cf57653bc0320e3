import type { Clock } from '../../core/clock.ts'
import type { AccessSettings } from '../settings.ts'

export type PaceSettings = Pick<AccessSettings, 'limits' | 'totalDeadlineMs'>

/** As much as comes in so long at the pace may come at once after a pause. */
const burstMs = 500
/** Of the whole deadline: who waited longer would have no time left for a cluster to be asked. */
const waitingShare = 0.5
/** Of one cluster. An API server has no more requests than about this many under way. */
const mostWaiting = 600

interface Turns {
  /** When the next question has its turn. What lies in the past is what may come at once. */
  nextMs: number
  waiting: number
}

/**
 * How fast one cluster may ask, so that one that floods takes the time of nobody else. A turn is a moment on a line:
 * taking one moves the next. So those who wait are served in the order they came, and nothing has to be filled up.
 */
export class Pace {
  readonly #clock: Pick<Clock, 'now'>
  readonly #settings: () => PaceSettings
  readonly #clusters = new Map<string, Turns>()

  constructor({ clock, settings }: { clock: Pick<Clock, 'now'>; settings: () => PaceSettings }) {
    this.#clock = clock
    this.#settings = settings
  }

  /** Takes the next turn. How long until then: 0 for at once; undefined where it would be too long, and none is taken. */
  take(cluster: string): number | undefined {
    const { limits, totalDeadlineMs } = this.#settings()
    const nowMs = this.#clock.now().getTime()
    const turns = this.#of(cluster)
    const everyMs = 1_000 / limits.reviewsPerSecond
    const longestMs = totalDeadlineMs * waitingShare
    // Nobody was ever given a turn that far away: the clock was set back, or the settings changed.
    if (turns.nextMs > nowMs + longestMs + everyMs || turns.nextMs < nowMs - burstMs) turns.nextMs = nowMs - burstMs
    const waitMs = turns.nextMs - nowMs
    if (waitMs > 0 && (waitMs > longestMs || turns.waiting >= mostWaiting)) return undefined
    turns.nextMs += everyMs
    if (waitMs <= 0) return 0
    turns.waiting += 1
    return waitMs
  }

  /** Who waited has had their turn. */
  passed(cluster: string): void {
    const turns = this.#clusters.get(cluster)
    if (turns && turns.waiting > 0) turns.waiting -= 1
  }

  forget(cluster: string): void {
    this.#clusters.delete(cluster)
  }

  #of(cluster: string): Turns {
    const found = this.#clusters.get(cluster)
    if (found) return found
    const made = { nextMs: Number.NEGATIVE_INFINITY, waiting: 0 }
    this.#clusters.set(cluster, made)
    return made
  }
}
