/** At a time, with one issuer. A handshake takes the process a millisecond or more, and none of it can be interrupted. */
const mostAtOnce = 4

interface Door {
  under: number
  readonly waiting: (() => void)[]
}

/**
 * Few connections to one issuer are opened at a time: hundreds of clusters whose tokens run out together would hold up
 * every other call of the process for as long as all their handshakes take. What is sent then waits for nobody.
 */
export class Handshakes {
  readonly #doors = new Map<string, Door>()

  /** Waits for a turn. What is returned ends it, and may be called again. */
  async begin(origin: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    const door = this.#doors.get(origin) ?? { under: 0, waiting: [] }
    this.#doors.set(origin, door)
    if (door.under < mostAtOnce) door.under += 1
    else await turn(door, signal)
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      this.#end(origin, door)
    }
  }

  /** A turn is handed on, so that nobody who comes later gets it first. */
  #end(origin: string, door: Door): void {
    const next = door.waiting.shift()
    if (next) next()
    else door.under -= 1
    if (door.under === 0) this.#doors.delete(origin)
  }
}

const turn = ({ waiting }: Door, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const onAbort = () => {
      waiting.splice(waiting.indexOf(go), 1)
      reject(signal.reason)
    }
    const go = () => {
      signal.removeEventListener('abort', onAbort)
      resolve()
    }
    signal.addEventListener('abort', onAbort, { once: true })
    waiting.push(go)
  })
