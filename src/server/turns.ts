import type { Clock } from '../core/clock.ts'
import { deadline } from '../kube/deadline.ts'
import { failures } from './failures.ts'

/** Reviews of an API server are some KB. */
export const shortBytes = 64 * 1024
/** Below the patience of an API server, which takes no answer for a refusal. */
const longestWaitMs = 8_000

interface Pace {
  /** Work that is done before there is a pause. */
  readonly burstMs: number
  /** How many times as long as the work the pause after it is. */
  readonly pauseTimes: number
  readonly leastPauseMs: number
  /** How long a turn keeps the next out while it waits for others, such as an API server. 0: not at all. */
  readonly heldMs: number
}

/** A third of the processor. */
const shortPace: Pace = { burstMs: 20, pauseTimes: 2, leastPauseMs: 0, heldMs: 0 }
/** A sixth of it. */
const longPace: Pace = { burstMs: 0, pauseTimes: 5, leastPauseMs: 5, heldMs: 1_000 }

/**
 * Turns of requests whose clients have not shown who they are: a body costs far more to work on than to send. Short bodies
 * and long ones take turns apart, each kind one at a time with pauses, so that together they have half of the processor
 * at most and a short one never waits for a long one. The shortest that waits is next.
 */
export class Turns implements Disposable {
  readonly #short: Lane
  readonly #long: Lane

  constructor(clock: Pick<Clock, 'now' | 'countdown'>) {
    this.#short = new Lane(shortPace, clock)
    this.#long = new Lane(longPace, clock)
  }

  /** To be disposed as soon as the work is done. Rejects with SERVER_BUSY after 8 seconds, or as the signal does. */
  take(bytes: number, signal: AbortSignal): Promise<Disposable> {
    return (bytes <= shortBytes ? this.#short : this.#long).take(bytes, signal)
  }

  [Symbol.dispose](): void {
    this.#short[Symbol.dispose]()
    this.#long[Symbol.dispose]()
  }
}

interface Waiting {
  readonly bytes: number
  readonly go: () => void
}

class Lane implements Disposable {
  readonly #pace: Pace
  readonly #clock: Pick<Clock, 'now' | 'countdown'>
  readonly #waiting = new Set<Waiting>()
  /** A turn is under way, or the pause after it. */
  #isTaken = false
  /** Work since the last pause. */
  #workedMs = 0
  #pause: Disposable | undefined
  #isClosed = false

  constructor(pace: Pace, clock: Pick<Clock, 'now' | 'countdown'>) {
    this.#pace = pace
    this.#clock = clock
  }

  async take(bytes: number, signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted()
    if (this.#isTaken) await this.#wait(bytes, signal)
    this.#isTaken = true
    return this.#begin()
  }

  async #wait(bytes: number, signal: AbortSignal): Promise<void> {
    using limit = deadline(this.#clock, longestWaitMs, failures.SERVER_BUSY, signal)
    await new Promise<void>((resolve, reject) => {
      const waiting = { bytes, go: resolve }
      this.#waiting.add(waiting)
      limit.signal.addEventListener('abort', () => {
        this.#waiting.delete(waiting)
        reject(limit.signal.reason)
      })
    })
  }

  #begin(): Disposable {
    const { heldMs } = this.#pace
    const startedAt = this.#clock.now().getTime()
    let isOver = false
    const end = () => {
      if (isOver) return
      isOver = true
      held?.[Symbol.dispose]()
      this.#end(this.#clock.now().getTime() - startedAt)
    }
    const held = heldMs > 0 ? this.#clock.countdown(heldMs, end) : undefined
    // What it does at once is done by then, and everybody else has had the event loop.
    if (!held) setImmediate(end)
    return { [Symbol.dispose]: () => void (held && end()) }
  }

  #end(tookMs: number): void {
    const { burstMs, pauseTimes, leastPauseMs } = this.#pace
    // The wall clock may have been set.
    this.#workedMs += Math.min(Math.max(tookMs, 0), 1_000)
    if (this.#workedMs < burstMs) {
      this.#next()
      return
    }
    const pauseMs = Math.max(leastPauseMs, this.#workedMs * pauseTimes)
    this.#workedMs = 0
    if (!this.#isClosed) this.#pause = this.#clock.countdown(pauseMs, () => this.#next())
  }

  #next(): void {
    let shortest: Waiting | undefined
    for (const waiting of this.#waiting) if (!shortest || waiting.bytes < shortest.bytes) shortest = waiting
    if (!shortest) {
      this.#isTaken = false
      return
    }
    this.#waiting.delete(shortest)
    shortest.go()
  }

  [Symbol.dispose](): void {
    this.#isClosed = true
    this.#pause?.[Symbol.dispose]()
  }
}
