import type { Clock } from '../../core/clock.ts'

/**
 * The life of one call. Its deadline, its signal or the closing of the client ends it, whichever comes first; the step
 * under way is then given up, and it and every later step reject with the reason.
 */
export class Scope implements Disposable {
  #ended = false
  #reason: unknown
  #onEnd: ((reason: unknown) => void) | undefined
  #timer: Disposable | undefined
  #deadline = 0
  /** What has gone wrong so far, for the failure of the deadline. */
  trouble: unknown
  readonly #signal: AbortSignal | undefined
  readonly #onAbort = () => this.end(this.#signal?.reason)

  constructor(clock: Clock, deadline: { ms: number; failure: (trouble: unknown) => Error }, signal?: AbortSignal) {
    this.#signal = signal
    if (signal?.aborted) {
      this.#ended = true
      this.#reason = signal.reason
      return
    }
    signal?.addEventListener('abort', this.#onAbort)
    this.#deadline = clock.now().getTime() + deadline.ms
    this.#timer = clock.countdown(deadline.ms, () => this.end(deadline.failure(this.trouble)))
  }

  /** Runs `start`, which returns how to give up. One step at a time. */
  step<T>(start: (resolve: (value: T) => void, reject: (reason: unknown) => void) => () => void): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#ended) return reject(this.#reason)
      let finished = false
      const finish =
        <V>(settle: (value: V) => void) =>
        (value: V) => {
          finished = true
          this.#onEnd = undefined
          settle(value)
        }
      const giveUp = start(finish(resolve), finish(reject))
      if (finished) return
      this.#onEnd = (reason) => {
        giveUp()
        reject(reason)
      }
    })
  }

  /** Does not ask once it has ended: nobody would hear how that went wrong, and Node ends the process over it. */
  wait<T>(ask: () => Promise<T>): Promise<T> {
    return this.step((resolve, reject) => {
      ask().then(resolve, reject)
      return () => {}
    })
  }

  sleep(clock: Clock, ms: number): Promise<void> {
    return this.step((resolve) => {
      const timer = clock.countdown(ms, resolve)
      return () => timer[Symbol.dispose]()
    })
  }

  /** Whether there is time left for a wait of `ms`. */
  allows(clock: Clock, ms: number): boolean {
    return clock.now().getTime() + ms < this.#deadline
  }

  /** From now on only the signal and `end` can end it, and they call `onEnd`. */
  keep(onEnd: (reason: unknown) => void): void {
    this.#timer?.[Symbol.dispose]()
    if (this.#ended) onEnd(this.#reason)
    else this.#onEnd = onEnd
  }

  end(reason: unknown): void {
    if (this.#ended) return
    this.#ended = true
    this.#reason = reason
    this.#release()
    this.#onEnd?.(reason)
  }

  get ended(): boolean {
    return this.#ended
  }

  [Symbol.dispose](): void {
    this.#onEnd = undefined
    this.#release()
  }

  #release(): void {
    this.#timer?.[Symbol.dispose]()
    this.#signal?.removeEventListener('abort', this.#onAbort)
  }
}
