import type { Socket } from 'node:net'
import type { Clock } from '../../core/clock.ts'
import { hasPeer } from './has-peer.ts'
import { Lost } from './transport.ts'

interface Destroyable {
  destroy(error?: Error): unknown
}

/** How often a connection that is being set up is looked at: Node does not hear of every reset, see `hasPeer`. */
const lookEveryMs = 250

/** Holds the deadline of opening one connection: whatever is being waited for is destroyed when it passes. */
export class Guard implements Disposable {
  readonly #clock: Clock
  readonly #timer: Disposable
  #look: Disposable | undefined
  #current: Destroyable | undefined
  #reject: ((lost: Lost) => void) | undefined
  #stopped: Lost | undefined

  constructor(clock: Clock, connectMs: number) {
    this.#clock = clock
    this.#timer = clock.countdown(connectMs, () =>
      this.stop(new Lost(`no connection within ${connectMs} ms`, { sent: false })),
    )
  }

  /** Waits for `opening`, which `held` brings about. */
  during<T>(held: Destroyable, opening: Promise<T>): Promise<T> {
    this.#current = held
    return new Promise<T>((resolve, reject) => {
      this.#reject = reject
      opening.then(resolve, reject)
      if (this.#stopped) this.stop(this.#stopped)
    })
  }

  /** Waits for a socket's event, or throws what went wrong before it. */
  opened<S extends Socket>(socket: S, event: 'connect' | 'secureConnect'): Promise<S> {
    const opening = new Promise<S>((resolve, reject) => {
      socket.once(event, () => resolve(socket))
      socket.once('error', reject)
      socket.once('close', () =>
        reject(new Lost('the connection was closed while it was being set up', { sent: false })),
      )
    })
    this.#lookAt(socket)
    return this.during(socket, opening)
  }

  #lookAt(socket: Socket): void {
    this.#look?.[Symbol.dispose]()
    this.#look = this.#clock.countdown(lookEveryMs, () => {
      if (socket.connecting || hasPeer(socket)) this.#lookAt(socket)
      else this.stop(new Lost('the connection was reset while it was being set up', { sent: false }))
    })
  }

  stop(lost: Lost): void {
    this.#stopped = lost
    this.#reject?.(lost)
    this.#current?.destroy()
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]()
    this.#look?.[Symbol.dispose]()
  }
}
