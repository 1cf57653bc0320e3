import type { Clock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import type { Dialed, Dialing } from './dial.ts'
import { dial } from './dial.ts'
import { Guard } from './guard.ts'
import { Http2Connection } from './http2-connection.ts'
import { Lane } from './lane.ts'
import type { Settings } from './options.ts'
import type { Exchange, LaneName, Receiver, Transport, WireRequest } from './transport.ts'
import { Lost, protocols } from './transport.ts'

export interface PoolDeps {
  dialing: Dialing
  settings: Settings
  clock: Clock
  log: Log
}

/** All connections to one server under one TLS identity. Speaks HTTP/2 until the server turns out not to. */
export class Pool implements Transport {
  readonly #deps: PoolDeps
  readonly #lanes: Record<LaneName, Lane>
  readonly #guards = new Set<Guard>()
  #http1: Promise<Transport> | undefined
  #http1Ready: Transport | undefined
  #over = false

  constructor(deps: PoolDeps) {
    this.#deps = deps
    const lane = (name: LaneName, maxConnections: number): Lane => {
      const made: Lane = new Lane({
        open: () => this.#openHttp2(name, made),
        onHttp1: (waiting) => {
          for (const one of waiting) one.start((request, receiver) => this.dispatch(name, request, receiver))
        },
        maxConnections,
        log: deps.log,
      })
      return made
    }
    this.#lanes = {
      call: lane('call', deps.settings.maxCallConnections),
      watch: lane('watch', Number.POSITIVE_INFINITY),
    }
  }

  dispatch(lane: LaneName, request: WireRequest, receiver: Receiver): Exchange {
    return this.#http1Ready
      ? this.#http1Ready.dispatch(lane, request, receiver)
      : this.#lanes[lane].dispatch(request, receiver)
  }

  async retire(): Promise<void> {
    this.#over = true
    for (const guard of this.#guards) guard.stop(new Lost('the TLS identity changed', { sent: false }))
    await Promise.all([
      this.#lanes.call.retire({ endStreams: false }),
      this.#lanes.watch.retire({ endStreams: true }),
      this.#http1?.then((http1) => http1.retire()),
    ])
  }

  async destroy(lost: Lost): Promise<void> {
    this.#over = true
    for (const guard of this.#guards) guard.stop(lost)
    await Promise.all([
      this.#lanes.call.destroy(lost),
      this.#lanes.watch.destroy(lost),
      this.#http1?.then((http1) => http1.destroy(lost)),
    ])
  }

  async #openHttp2(name: LaneName, lane: Lane): Promise<Http2Connection | undefined> {
    const { clock, settings, dialing } = this.#deps
    const { authority, secure } = dialing.target
    if (this.#http1 || !secure) return this.#useHttp1()
    return this.#guarded(async (guard) => {
      const dialed = await dial(dialing, [protocols.http2, protocols.http1], guard)
      if (dialed.protocol !== protocols.http2) return this.#useHttp1(dialed)
      const { onFree, onGone } = lane
      const connection = await Http2Connection.open(
        dialed.socket,
        { lane: name, authority, guard },
        { clock, settings, onFree, onGone },
      )
      if (this.#over) connection.drain()
      return connection
    })
  }

  /** `dialed` becomes its first connection. */
  async #useHttp1(dialed?: Dialed): Promise<undefined> {
    if (this.#http1) dialed?.socket.destroy()
    this.#http1 ??= this.#makeHttp1(dialed)
    this.#http1Ready = await this.#http1
  }

  async #makeHttp1(dialed: Dialed | undefined): Promise<Transport> {
    // Loaded on demand: most servers never need it.
    const { Http1Transport } = await import('./http1-transport.ts')
    return new Http1Transport({
      authority: this.#deps.dialing.target.authority,
      first: dialed?.socket,
      settings: this.#deps.settings,
      dial: () => this.#guarded(async (guard) => (await dial(this.#deps.dialing, [protocols.http1], guard)).socket),
    })
  }

  async #guarded<T>(open: (guard: Guard) => Promise<T>): Promise<T> {
    using guard = new Guard(this.#deps.clock, this.#deps.settings.connectMs)
    this.#guards.add(guard)
    try {
      return await open(guard)
    } finally {
      this.#guards.delete(guard)
    }
  }
}
