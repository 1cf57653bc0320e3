import type { ClientRequest, IncomingMessage } from 'node:http'
import { Agent, request as httpRequest } from 'node:http'
import type { Socket } from 'node:net'
import type { Settings } from './options.ts'
import type { Exchange, LaneName, Receiver, Transport, WireRequest } from './transport.ts'
import { describe, Lost } from './transport.ts'

export interface Http1Deps {
  authority: string
  /** A socket opened before it was known that the server speaks HTTP/1.1. */
  first: Socket | undefined
  settings: Settings
  dial(): Promise<Socket>
}

/** One request a connection at a time, connections kept for the next: what old proxies and `kubectl proxy` speak. */
export class Http1Transport implements Transport {
  readonly #deps: Http1Deps
  readonly #agents: Record<LaneName, Agent>
  readonly #exchanges = new Map<Http1Exchange, LaneName>()
  #first: Socket | undefined
  #retired = false
  readonly #done = Promise.withResolvers<void>()

  constructor(deps: Http1Deps) {
    this.#deps = deps
    this.#first = deps.first
    const agent = (maxSockets: number) =>
      Object.assign(new Agent({ keepAlive: true, maxSockets, timeout: deps.settings.idleMs }), {
        createConnection: (_: unknown, opened: (error: unknown, socket?: Socket) => void) => {
          this.#connect().then((socket) => opened(null, socket), opened)
        },
      })
    // As many calls at once as HTTP/2 would carry comfortably on two connections to a kube-apiserver.
    this.#agents = { call: agent(160), watch: agent(Number.POSITIVE_INFINITY) }
  }

  dispatch(lane: LaneName, request: WireRequest, receiver: Receiver): Exchange {
    const exchange = new Http1Exchange(this.#agents[lane], this.#deps.authority, request, receiver, () => {
      this.#exchanges.delete(exchange)
      this.#closeWhenDone()
    })
    this.#exchanges.set(exchange, lane)
    return exchange
  }

  retire(): Promise<void> {
    this.#retired = true
    for (const [exchange, lane] of [...this.#exchanges]) if (lane === 'watch') exchange.end()
    this.#closeWhenDone()
    return this.#done.promise
  }

  destroy(lost: Lost): Promise<void> {
    this.#retired = true
    for (const exchange of [...this.#exchanges.keys()]) exchange.lose(lost)
    this.#closeWhenDone()
    return this.#done.promise
  }

  async #connect(): Promise<Socket> {
    const first = this.#first
    this.#first = undefined
    return first && !first.destroyed ? first : this.#deps.dial()
  }

  #closeWhenDone(): void {
    if (!this.#retired || this.#exchanges.size > 0) return
    this.#first?.destroy()
    for (const agent of Object.values(this.#agents)) agent.destroy()
    this.#done.resolve()
  }
}

class Http1Exchange implements Exchange {
  readonly #request: ClientRequest
  readonly #receiver: Receiver
  readonly #onClose: () => void
  #answer: IncomingMessage | undefined
  #error: unknown
  #onSocket = false
  #over = false

  constructor(
    agent: Agent,
    authority: string,
    { method, path, headers, body }: WireRequest,
    receiver: Receiver,
    onClose: () => void,
  ) {
    this.#receiver = receiver
    this.#onClose = onClose
    headers['host'] = authority
    this.#request = httpRequest({ agent, method, path, headers })
    this.#request.on('socket', () => {
      this.#onSocket = true
    })
    this.#request.on('response', (answer) => this.#receive(answer))
    this.#request.on('error', (error) => {
      this.#error = error
    })
    this.#request.on('close', () => this.#close())
    this.#request.end(body)
  }

  cancel(): void {
    this.#over = true
    this.#request.destroy()
  }

  pause(): void {
    this.#answer?.pause()
  }

  resume(): void {
    this.#answer?.resume()
  }

  end(): void {
    if (this.#over) return
    this.cancel()
    this.#receiver.onEnd()
  }

  lose(lost: Lost): void {
    if (this.#over) return
    this.cancel()
    this.#receiver.onLost(lost)
  }

  #receive(answer: IncomingMessage): void {
    this.#answer = answer
    answer.on('data', (chunk: Buffer) => {
      if (!this.#over) this.#receiver.onData(chunk)
    })
    answer.on('end', () => {
      if (this.#over || !answer.complete) return
      this.#over = true
      this.#receiver.onEnd()
    })
    answer.on('error', (error) => {
      this.#error = error
    })
    if (!this.#over) this.#receiver.onAnswer(answer.statusCode ?? 0, answer.headers)
  }

  #close(): void {
    this.#onClose()
    if (this.#over) return
    this.#over = true
    const detail = this.#error ? describe(this.#error) : 'the connection was lost'
    const lost =
      this.#error instanceof Lost ? this.#error : new Lost(detail, { sent: this.#onSocket, cause: this.#error })
    this.#receiver.onLost(lost)
  }
}
