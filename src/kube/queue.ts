import type { BackoffOptions } from '../core/backoff.ts'
import { backoffMs } from '../core/backoff.ts'
import type { Clock } from '../core/clock.ts'
import { after, alarm } from '../core/clock.ts'
import type { Random } from '../core/random.ts'
import type { Key } from './objects.ts'

const longestMs = 10 * 365 * 86_400_000

export interface QueueOptions {
  clock: Clock
  random: Random
  /** Waits of `addRateLimited`, per key. Default: 100 ms, doubling, at most 5 minutes. */
  backoff?: BackoffOptions
}

interface Waiting {
  at: number
  timer: Disposable
}

/**
 * The keys that want work, each at most once. A key is never with two workers at a time; one that is added while it
 * runs runs again afterwards, once, however often it was added.
 *
 * There is no limit over all keys (client-go has one of 10 retries a second): a key's own back-off and the client's
 * answer to 429 bound the load, and one failing peer must not slow the retries of the others.
 */
export class WorkQueue {
  readonly #clock: Clock
  readonly #random: Random
  readonly #backoff: BackoffOptions
  /** In the order they are taken, by a cursor: to begin at the front each time would walk over all that is deleted. */
  readonly #ready = new Set<Key>()
  #cursor = this.#ready.values()
  readonly #running = new Set<Key>()
  readonly #addedWhileRunning = new Set<Key>()
  readonly #later = new Map<Key, Waiting>()
  /** Apart from what was wished for later: success ends these alone. */
  readonly #retries = new Map<Key, Waiting>()
  readonly #retryWhileRunning = new Set<Key>()
  readonly #attempts = new Map<Key, number>()
  readonly #takers = new Set<(key: Key | undefined) => void>()
  readonly #drained = Promise.withResolvers<void>()
  #isShutDown = false

  constructor({ clock, random, backoff = { baseMs: 100, maxMs: 300_000 } }: QueueOptions) {
    this.#clock = clock
    this.#random = random
    this.#backoff = backoff
  }

  /** Keys that are due and wait for a worker. */
  get depth(): number {
    return this.#ready.size
  }

  /** Asks for `key` to be run now. What `addAfter` has set for later stays set. */
  add(key: Key): void {
    if (this.#isShutDown) return
    if (this.#running.has(key)) this.#addedWhileRunning.add(key)
    else if (!this.#ready.has(key)) this.#offer(key)
  }

  /**
   * Asks for `key` to be run in `ms`. Of several such wishes for one key the earliest is kept. It is an alarm of
   * the wall clock, by which things expire; the waits of `addRateLimited` are counted in running time. More than ten
   * years are ten years: "never" is often written as a huge number, for which there is no date.
   */
  addAfter(key: Key, ms: number): void {
    if (!Number.isFinite(ms)) throw new RangeError(`cannot wait ${ms} ms`)
    if (ms <= 0) this.add(key)
    else this.#wait(this.#later, key, Math.min(ms, longestMs), (at) => alarm(this.#clock, at, () => this.#wake(key)))
  }

  /** Asks for `key` to be run after its back-off, which grows until `forget`. Returns the milliseconds of that wait. */
  addRateLimited(key: Key): number {
    const attempt = this.attempts(key)
    this.#attempts.set(key, attempt + 1)
    const ms = backoffMs(attempt, this.#backoff, this.#random)
    this.#retryWhileRunning.delete(key)
    this.#wait(this.#retries, key, ms, () => this.#clock.countdown(ms, () => this.#retry(key)))
    return ms
  }

  /** How often `addRateLimited` was called for `key` since it was forgotten. */
  attempts(key: Key): number {
    return this.#attempts.get(key) ?? 0
  }

  /**
   * The next failure of `key` is its first again, and its back-off is over without another run: that would do again what
   * has just been done, by a view that may not show it yet. What `add` and `addAfter` ask for stays.
   */
  forget(key: Key): void {
    this.#attempts.delete(key)
    this.#retries.get(key)?.timer[Symbol.dispose]()
    this.#retries.delete(key)
    this.#retryWhileRunning.delete(key)
  }

  /**
   * The next key, which belongs to the caller until `done`; undefined once the queue is shut down.
   * Rejects with the signal's reason when that aborts first; no key is lost by it.
   */
  take(signal?: AbortSignal): Promise<Key | undefined> {
    if (signal?.aborted) return Promise.reject(signal.reason)
    if (this.#isShutDown) return Promise.resolve(undefined)
    const key = this.#shift()
    if (key !== undefined) {
      this.#running.add(key)
      return Promise.resolve(key)
    }
    return new Promise((resolve, reject) => {
      const taker = (key: Key | undefined) => {
        signal?.removeEventListener('abort', onAbort)
        resolve(key)
      }
      const onAbort = () => {
        this.#takers.delete(taker)
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', onAbort, { once: true })
      this.#takers.add(taker)
    })
  }

  /** Gives back a taken key, whatever came of it. */
  done(key: Key): void {
    if (!this.#running.delete(key)) throw new Error(`done(${key}) without take`)
    const isToRetry = this.#retryWhileRunning.delete(key)
    if (this.#addedWhileRunning.delete(key) || isToRetry) this.add(key)
    this.#resolveIfDrained()
  }

  /**
   * Takes and gives no more keys; resolves when every taken one is done. Keys that only wait are dropped: work is
   * level-triggered, so the next start finds it again, and a stop must not take as long as the backlog.
   */
  shutdown(): Promise<void> {
    this.#isShutDown = true
    for (const waiting of [this.#later, this.#retries]) {
      for (const { timer } of waiting.values()) timer[Symbol.dispose]()
      waiting.clear()
    }
    for (const keys of [this.#ready, this.#addedWhileRunning, this.#retryWhileRunning, this.#attempts]) keys.clear()
    for (const taker of this.#takers) taker(undefined)
    this.#takers.clear()
    this.#resolveIfDrained()
    return this.#drained.promise
  }

  #wait(waiting: Map<Key, Waiting>, key: Key, ms: number, set: (at: Date) => Disposable): void {
    if (this.#isShutDown) return
    const at = after(this.#clock.now(), ms)
    const kept = waiting.get(key)
    if (kept && kept.at <= at.getTime()) return
    kept?.timer[Symbol.dispose]()
    waiting.set(key, { at: at.getTime(), timer: set(at) })
  }

  #wake(key: Key): void {
    this.#later.delete(key)
    this.add(key)
  }

  /** A run that has begun meanwhile may be the retry. */
  #retry(key: Key): void {
    this.#retries.delete(key)
    if (this.#running.has(key)) this.#retryWhileRunning.add(key)
    else this.add(key)
  }

  #shift(): Key | undefined {
    if (this.#ready.size === 0) return undefined
    let next = this.#cursor.next()
    if (next.done) {
      this.#cursor = this.#ready.values()
      next = this.#cursor.next()
    }
    if (next.value !== undefined) this.#ready.delete(next.value)
    return next.value
  }

  #offer(key: Key): void {
    for (const taker of this.#takers) {
      this.#takers.delete(taker)
      this.#running.add(key)
      taker(key)
      return
    }
    this.#ready.add(key)
  }

  #resolveIfDrained(): void {
    if (this.#isShutDown && this.#running.size === 0) this.#drained.resolve()
  }
}
