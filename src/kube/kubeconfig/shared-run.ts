/** One run for all who wait for it. It is stopped when the last of them has given up. */
export class SharedRun<T> {
  readonly #stop = new AbortController()
  readonly #result: Promise<T>
  #waiting = 0
  #finished = false

  constructor(start: (stop: AbortSignal) => Promise<T>) {
    this.#result = start(this.#stop.signal).finally(() => {
      this.#finished = true
    })
  }

  /** Nobody can join it any more. */
  get isOver(): boolean {
    return this.#finished || this.#stop.signal.aborted
  }

  async wait(signal: AbortSignal | undefined): Promise<T> {
    this.#waiting++
    try {
      return await unlessAborted(this.#result, signal)
    } finally {
      if (--this.#waiting === 0) this.#stop.abort()
    }
  }
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
