import { BoundedMap } from '../../kube/bounded-map.ts'
import type { Review } from './contract.ts'

interface Kept {
  readonly review: Review
  readonly fromMs: number
  readonly untilMs: number
}

/** What one cluster said lately, and what it is being asked. None of it is in the way of another cluster. */
export class ClusterReviews {
  readonly #kept: BoundedMap<string, Kept>
  readonly flights = new Map<string, Promise<Review>>()
  /** Questions of people who want to understand a decision: never in the way of those who wait for one. */
  readonly asides = new Map<string, Promise<Review>>()
  /** Of `asides`: how many are put to the cluster now, and who is next. */
  asking = 0
  readonly queue: (() => void)[] = []
  /** When the newest of what is kept is over. */
  lastUntilMs = Number.NEGATIVE_INFINITY

  constructor(most: number) {
    this.#kept = new BoundedMap(most)
  }

  /** A clock that was set back makes nothing last longer. */
  get(key: string, nowMs: number): Review | undefined {
    const kept = this.#kept.get(key)
    if (!kept) return undefined
    if (nowMs >= kept.fromMs && nowMs < kept.untilMs) return kept.review
    this.#kept.delete(key)
    return undefined
  }

  keep(key: string, review: Review, nowMs: number, forMs: number): void {
    this.#kept.set(key, { review, fromMs: nowMs, untilMs: nowMs + forMs })
    this.lastUntilMs = Math.max(this.lastUntilMs, nowMs + forMs)
  }

  get size(): number {
    return this.#kept.size
  }
}
