import type { Log } from '../../core/log.ts'
import type { Http2Connection } from './http2-connection.ts'
import type { Exchange, Receiver, WireRequest } from './transport.ts'
import { asLost, Lost } from './transport.ts'

export interface LaneDeps {
  /** Opens one more connection. Throws `Lost`. Undefined when the server does not speak HTTP/2. */
  open(): Promise<Http2Connection | undefined>
  /** What waited when it turned out that the server speaks HTTP/1.1 only. */
  onHttp1(waiting: Waiting[]): void
  maxConnections: number
  log: Log
}

/** The HTTP/2 connections that carry calls, or those that carry watches. */
export class Lane {
  readonly #deps: LaneDeps
  readonly #connections: Http2Connection[] = []
  /** Connections that take no more requests but still carry some. */
  readonly #leaving = new Set<Http2Connection>()
  #waiting: Waiting[] = []
  #opening = false

  constructor(deps: LaneDeps) {
    this.#deps = deps
  }

  dispatch(request: WireRequest, receiver: Receiver): Exchange {
    const connection = this.#waiting.length === 0 ? this.#withRoom() : undefined
    if (connection) return connection.send(request, receiver)
    const waiting = new Waiting(request, receiver, (gone) => {
      this.#waiting = this.#waiting.filter((other) => other !== gone)
    })
    this.#waiting.push(waiting)
    this.#grow()
    return waiting
  }

  /** For the connections of this lane: there is room again. */
  readonly onFree = (): void => {
    if (this.#waiting.length > 0) this.#serve()
  }

  /** For the connections of this lane: one takes no more requests. */
  readonly onGone = (connection: Http2Connection): void => {
    const at = this.#connections.indexOf(connection)
    if (at >= 0) this.#connections.splice(at, 1)
    this.#leaving.add(connection)
    connection.closed.then(() => this.#leaving.delete(connection))
    this.#grow()
  }

  /** Lets what is in flight finish, or ends it gently with `endStreams`; what has not been sent is lost unsent. */
  async retire({ endStreams }: { endStreams: boolean }): Promise<void> {
    for (const connection of [...this.#connections]) connection.drain()
    if (endStreams) for (const connection of [...this.#leaving]) connection.endAll()
    this.#failWaiting(new Lost('the TLS identity changed', { sent: false }))
    await Promise.all([...this.#leaving].map((connection) => connection.closed))
  }

  async destroy(lost: Lost): Promise<void> {
    this.#failWaiting(lost)
    const all = [...this.#connections, ...this.#leaving]
    for (const connection of all) connection.destroy(lost)
    await Promise.all(all.map((connection) => connection.closed))
  }

  /** The first with room, so that the later ones fall idle and close when there is less to do. */
  #withRoom(): Http2Connection | undefined {
    return (
      this.#connections.find((connection) => connection.hasRoom()) ??
      (this.#connections.length >= this.#deps.maxConnections
        ? this.#connections.find((connection) => connection.hasRoom(true))
        : undefined)
    )
  }

  #serve(): void {
    for (let connection = this.#withRoom(); connection && this.#waiting.length > 0; connection = this.#withRoom()) {
      const { send } = connection
      this.#waiting.shift()?.start(send)
    }
    this.#grow()
  }

  #grow(): void {
    if (this.#opening || this.#waiting.length === 0 || this.#connections.length >= this.#deps.maxConnections) return
    this.#opening = true
    this.#open().then(
      () => {
        this.#opening = false
        this.#serve()
      },
      (error: unknown) => {
        this.#opening = false
        this.#failWaiting(asLost(error))
      },
    )
  }

  async #open(): Promise<void> {
    const connection = await this.#deps.open()
    if (!connection) return this.#deps.onHttp1(this.#takeWaiting())
    if (connection.isGone) throw new Lost('the connection was closed as soon as it was open', { sent: false })
    this.#deps.log.debug({ connections: this.#connections.length + 1 }, 'connection opened')
    this.#connections.push(connection)
  }

  #takeWaiting(): Waiting[] {
    const waiting = this.#waiting
    this.#waiting = []
    return waiting
  }

  #failWaiting(lost: Lost): void {
    for (const waiting of this.#takeWaiting()) waiting.lose(lost)
  }
}

/** A request that waits for a connection; from `start` on, the exchange it became. */
export class Waiting implements Exchange {
  readonly #request: WireRequest
  readonly #receiver: Receiver
  readonly #leave: (self: Waiting) => void
  #exchange: Exchange | undefined

  constructor(request: WireRequest, receiver: Receiver, leave: (self: Waiting) => void) {
    this.#request = request
    this.#receiver = receiver
    this.#leave = leave
  }

  start(send: (request: WireRequest, receiver: Receiver) => Exchange): void {
    this.#exchange = send(this.#request, this.#receiver)
  }

  lose(lost: Lost): void {
    this.#receiver.onLost(lost)
  }

  cancel(): void {
    if (this.#exchange) this.#exchange.cancel()
    else this.#leave(this)
  }

  pause(): void {
    this.#exchange?.pause()
  }

  resume(): void {
    this.#exchange?.resume()
  }
}
