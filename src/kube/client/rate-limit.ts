import type { Clock } from '../../core/clock.ts'

/** Sums of fractions may end just below 1 at the very moment a token is due. */
const rounding = 1e-6

/**
 * A token bucket: `burst` at once after a pause, `qps` a second in the long run, first come first served.
 * Refilled by arithmetic when asked; a timer runs only while somebody waits.
 */
export class RateLimit {
  readonly #clock: Clock
  readonly #perMs: number
  readonly #burst: number
  #tokens: number
  #refilledAt: number
  #waiting: (() => void)[] = []
  #timer: Disposable | undefined

  constructor(clock: Clock, { qps, burst }: { qps: number; burst: number }) {
    this.#clock = clock
    this.#perMs = qps / 1_000
    this.#burst = Math.max(1, burst)
    this.#tokens = this.#burst
    this.#refilledAt = clock.now().getTime()
  }

  /** Takes a token if one is free and nobody waits. */
  tryTake(): boolean {
    if (this.#perMs === 0) return true
    if (this.#waiting.length > 0) return false
    this.#refill()
    if (this.#tokens < 1) return false
    this.#tokens -= 1
    return true
  }

  /** Takes a token at once, one that is still to come where none is free: whoever waits, waits for one more. */
  takeAhead(): void {
    if (this.#perMs === 0) return
    this.#refill()
    this.#tokens -= 1
  }

  /** Calls `go` once with a token taken. The returned function leaves the queue. */
  take(go: () => void): () => void {
    if (this.tryTake()) {
      go()
      return () => {}
    }
    this.#waiting.push(go)
    this.#arm()
    return () => {
      this.#waiting = this.#waiting.filter((other) => other !== go)
      if (this.#waiting.length === 0) this.#disarm()
    }
  }

  #refill(): void {
    const now = this.#clock.now().getTime()
    // A clock set back adds nothing, and counting starts again from where it now is.
    const elapsedMs = Math.max(0, now - this.#refilledAt)
    // While somebody waits, the fraction beyond a full bucket is kept: the timer fires on whole milliseconds only.
    const most = this.#waiting.length > 0 ? this.#burst + 1 : this.#burst
    this.#tokens = Math.min(most, this.#tokens + elapsedMs * this.#perMs)
    this.#refilledAt = now
  }

  #arm(): void {
    if (this.#timer) return
    const missingMs = Math.ceil((1 - rounding - this.#tokens) / this.#perMs)
    this.#timer = this.#clock.countdown(Math.max(1, missingMs), () => {
      this.#timer = undefined
      this.#serve()
    })
  }

  #serve(): void {
    this.#refill()
    while (this.#tokens >= 1 - rounding && this.#waiting.length > 0) {
      this.#tokens -= 1
      this.#waiting.shift()?.()
    }
    if (this.#waiting.length > 0) this.#arm()
  }

  #disarm(): void {
    this.#timer?.[Symbol.dispose]()
    this.#timer = undefined
  }
}
