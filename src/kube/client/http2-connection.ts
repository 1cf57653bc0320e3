import type { ClientHttp2Session } from 'node:http2'
import { connect, constants } from 'node:http2'
import type { Socket } from 'node:net'
import type { Clock } from '../../core/clock.ts'
import type { Guard } from './guard.ts'
import { hasPeer } from './has-peer.ts'
import type { HeartbeatOptions } from './heartbeat.ts'
import { Heartbeat } from './heartbeat.ts'
import { Http2Exchange } from './http2-exchange.ts'
import type { Exchange, LaneName, Receiver, WireRequest } from './transport.ts'
import { describe, Lost } from './transport.ts'

/**
 * Bytes the server may send ahead of us. A list should not wait for our acknowledgements on a long line. Of a watch they
 * are what piles up behind a slow consumer, as much again as `watchBufferBytes`; with a quarter of that a server that
 * has a backlog to tell waits for us now and then (a tenth of what an informer takes in). The window of the whole
 * connection is wide enough that one stalled stream never starves its neighbours.
 */
const windows = {
  call: { stream: 4 * 2 ** 20, connection: 64 * 2 ** 20 },
  watch: { stream: 2 ** 20, connection: 32 * 2 ** 20 },
}

/** Share of the server's stream limit after which a new connection is opened: beyond the limit, requests wait in silence. */
const comfortableShare = 0.8

/** More than this on one connection only makes its streams wait for each other. */
const mostStreams = 1_000

/** Somebody waits for a call, so its connection is looked at soon: whoever calls next would wait on a dead one as well. */
const probeOfCalls = { pingAfterMs: 1_000, pingTimeoutMs: 5_000 }

/** How long a server may take to end its side of a connection that is over. Node waits for that without end. */
const farewellMs = 2_000

export interface Http2Deps {
  clock: Clock
  settings: HeartbeatOptions
  /** There is room again. */
  onFree(connection: Http2Connection): void
  /** Takes no more requests, for whatever reason. */
  onGone(connection: Http2Connection): void
}

export class Http2Connection {
  readonly #session: ClientHttp2Session
  readonly #socket: Socket
  /** When the socket is closed: the session calls itself destroyed before. */
  readonly closed: Promise<void>
  #farewell: Disposable | undefined
  readonly #deps: Http2Deps
  readonly #heartbeat: Heartbeat
  readonly #exchanges = new Set<Http2Exchange>()
  readonly #pseudo: { authority: string; scheme: string }
  #limit: number
  #gone = false
  /** The server promised not to have looked at streams above this. */
  #lastStreamId = Number.POSITIVE_INFINITY
  #lost: Lost | undefined

  static async open(
    socket: Socket,
    { lane, authority, guard }: { lane: LaneName; authority: string; guard: Guard },
    deps: Http2Deps,
  ): Promise<Http2Connection> {
    const session = connect(`https://${authority}`, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: windows[lane].stream },
      // Node refuses streams beyond 10 MB of a session's data otherwise, which one list page can reach.
      maxSessionMemory: 2_048,
    })
    // Until the settings are here the stream limit is unknown, and requests beyond it would be queued unseen.
    const settled = new Promise<void>((resolve, reject) => {
      session.once('remoteSettings', () => resolve())
      session.once('error', reject)
      session.once('close', () => reject(new Lost('the connection was closed at the HTTP/2 greeting', { sent: false })))
    })
    await guard.during(session, settled)
    session.setLocalWindowSize(windows[lane].connection)
    return new Http2Connection(session, socket, authority, { ...deps, settings: probing(lane, deps.settings) })
  }

  private constructor(session: ClientHttp2Session, socket: Socket, authority: string, deps: Http2Deps) {
    this.#session = session
    this.#socket = socket
    this.closed = new Promise((resolve) => {
      if (socket.closed) resolve()
      else socket.once('close', () => resolve())
    })
    this.#deps = deps
    this.#pseudo = { authority, scheme: 'https' }
    this.#limit = limitOf(session)
    this.#heartbeat = new Heartbeat(deps.clock, deps.settings, {
      received: () => socket.bytesRead,
      active: () => this.#exchanges.size,
      connected: () => hasPeer(socket),
      ping: (answered) => session.ping((error) => error ?? answered()),
      onDead: () => this.destroy(new Lost('the connection went silent', { sent: true })),
      onIdle: () => this.drain(),
    })
    session.on('remoteSettings', () => {
      this.#limit = limitOf(session)
    })
    session.on('goaway', (_code, lastStreamId) => {
      this.#lastStreamId = lastStreamId
      this.drain()
    })
    session.on('error', (error) => {
      this.#lost ??= new Lost(describe(error), { sent: true, cause: error })
    })
    session.on('close', () => this.#leave())
    // What ended between the greeting and now has no more events to tell.
    if (session.destroyed) this.#leave()
  }

  /** Takes no more requests. */
  get isGone(): boolean {
    return this.#gone
  }

  /** Room for one more request; `full` looks at the server's whole limit rather than the comfortable share of it. */
  hasRoom(full = false): boolean {
    if (this.#gone || this.#session.closed || this.#session.destroyed) return false
    return this.#exchanges.size < (full ? this.#limit : Math.max(1, Math.floor(this.#limit * comfortableShare)))
  }

  readonly send = (request: WireRequest, receiver: Receiver): Exchange => {
    this.#heartbeat.onRequest()
    const exchange = new Http2Exchange(this.#session, this.#pseudo, request, receiver, {
      onClose: () => {
        this.#exchanges.delete(exchange)
        if (this.#gone) this.#closeWhenDone()
        else this.#deps.onFree(this)
      },
      onUnanswered: () => this.#heartbeat.onUnanswered(),
      whyLost: (streamId) => {
        const unseen = streamId !== undefined && streamId > this.#lastStreamId
        return { sent: !unseen, lost: this.#lost }
      },
    })
    this.#exchanges.add(exchange)
    return exchange
  }

  /** No more requests; closes after the last one in flight. */
  drain(): void {
    this.#leave()
    this.#closeWhenDone()
  }

  /** Tells every receiver that its answer has ended here, as a server's timeout would. */
  endAll(): void {
    for (const exchange of [...this.#exchanges]) exchange.end()
  }

  destroy(lost: Lost): void {
    this.#lost ??= lost
    this.#leave()
    // A session that has said goodbye only ends its side of the socket, and leaves the other to the server.
    const isLeaving = this.#session.closed
    this.#session.destroy(undefined, constants.NGHTTP2_CANCEL)
    if (isLeaving) this.#socket.destroy()
    else this.#closeWithin(farewellMs)
  }

  #leave(): void {
    if (this.#session.destroyed) this.#heartbeat[Symbol.dispose]()
    if (this.#gone) return
    this.#gone = true
    this.#deps.onGone(this)
  }

  #closeWhenDone(): void {
    if (this.#exchanges.size > 0) return
    this.#heartbeat[Symbol.dispose]()
    if (!this.#session.destroyed) this.#session.close()
    this.#closeWithin(farewellMs)
  }

  #closeWithin(ms: number): void {
    if (this.#farewell || this.#socket.closed) return
    const farewell = this.#deps.clock.countdown(ms, () => this.#socket.destroy())
    this.#farewell = farewell
    this.closed.then(() => farewell[Symbol.dispose]())
  }
}

const limitOf = (session: ClientHttp2Session): number =>
  Math.max(1, Math.min(mostStreams, session.remoteSettings.maxConcurrentStreams ?? mostStreams))

const probing = (lane: LaneName, settings: HeartbeatOptions): HeartbeatOptions =>
  lane === 'watch'
    ? settings
    : {
        pingAfterMs: Math.min(settings.pingAfterMs, probeOfCalls.pingAfterMs),
        pingTimeoutMs: Math.min(settings.pingTimeoutMs, probeOfCalls.pingTimeoutMs),
        idleMs: settings.idleMs,
      }
