/** So many at a time; others wait, and only so many. */
export class Turns {
  readonly #most: number
  #running = 0
  readonly #waiting: (() => void)[] = []
  readonly #full: (most: number) => Error

  constructor(most: number, full: (most: number) => Error) {
    this.#most = most
    this.#full = full
  }

  async take<R>(work: () => Promise<R>, mostWaiting: number, signal: AbortSignal): Promise<R> {
    signal.throwIfAborted()
    if (this.#running >= this.#most) {
      if (this.#waiting.length >= mostWaiting) throw this.#full(mostWaiting)
      await this.#turn(signal)
    } else this.#running += 1
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running -= 1
    }
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const go = () => {
        signal.removeEventListener('abort', onAbort)
        resolve()
      }
      const onAbort = () => {
        const at = this.#waiting.indexOf(go)
        if (at >= 0) this.#waiting.splice(at, 1)
        reject(signal.reason)
      }
      this.#waiting.push(go)
      signal.addEventListener('abort', onAbort, { once: true })
    })
  }
}
