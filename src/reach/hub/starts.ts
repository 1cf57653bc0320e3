import type { Clock } from '../../core/clock.ts'

export interface StartLimits {
  /** At a time. */
  most: number
  /** How long one counts at most. */
  heldMs: number
}

/**
 * How many looks begin at a time. One that is over soon makes room when it is over, one that hangs after a moment: it
 * costs nothing but its memory from then on, and nobody waits for it. A limit on the looks under way would let an
 * identity provider that hangs keep every other cluster waiting; without any, a hub that starts would greet its whole
 * fleet at once, too slowly for the deadlines of those greetings.
 */
export class Starts {
  readonly #clock: Clock
  readonly #limits: StartLimits
  readonly #waiting = new Set<() => void>()
  #held = 0

  constructor(clock: Clock, limits: StartLimits) {
    this.#clock = clock
    this.#limits = limits
  }

  /** Resolves when it is one's turn, first come first served; to be disposed when the look is over. */
  async begin(signal: AbortSignal): Promise<Disposable> {
    if (this.#held < this.#limits.most) this.#held += 1
    else await this.#turn(signal)
    const stack = new DisposableStack()
    const timer = this.#clock.countdown(this.#limits.heldMs, () => stack.dispose())
    stack.defer(() => {
      timer[Symbol.dispose]()
      this.#leave()
    })
    return stack
  }

  /** The place of somebody who leaves. */
  #turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    return new Promise((resolve, reject) => {
      const go = () => {
        signal.removeEventListener('abort', onAbort)
        resolve()
      }
      const onAbort = () => {
        this.#waiting.delete(go)
        reject(signal.reason)
      }
      signal.addEventListener('abort', onAbort, { once: true })
      this.#waiting.add(go)
    })
  }

  #leave(): void {
    const [next] = this.#waiting
    if (!next) this.#held -= 1
    else {
      this.#waiting.delete(next)
      next()
    }
  }
}
