import type { IncomingHttpHeaders } from 'node:http'
import type { Headers } from './headers.ts'

/** Watches live for minutes and calls for milliseconds: they get connections of their own. */
export type LaneName = 'call' | 'watch'

export interface WireRequest {
  readonly method: string
  /** With the server's prefix and the query. */
  readonly path: string
  /** Lower-case names. Belongs to the transport once handed over. */
  readonly headers: Headers
  readonly body?: Buffer | undefined
}

/** The other side is not trusted, it refuses, or the connection to it is not allowed. */
export type Final = 'untrusted' | 'refused' | 'denied'

/** Why a request got no whole answer. Internal: callers of the client see a failure of the catalogue. */
export class Lost extends Error {
  /** False when the server cannot have acted on the request, so that even a write may be repeated. */
  readonly sent: boolean
  /** Trying again cannot help: what the other side is, rather than how it fares, is in the way. */
  readonly final: Final | undefined

  constructor(detail: string, options: { sent: boolean; cause?: unknown; final?: Final | undefined }) {
    super(detail, { cause: options.cause })
    this.sent = options.sent
    this.final = options.final
  }
}

/** For what goes wrong before anything is sent. */
export const asLost = (error: unknown, final?: Final): Lost =>
  error instanceof Lost ? error : new Lost(describe(error), { sent: false, cause: error, final })

/** Told about one exchange: `onAnswer`, `onData` as often as needed, then one of `onEnd` and `onLost`. Never called from within `dispatch`. */
export interface Receiver {
  onAnswer(status: number, headers: IncomingHttpHeaders): void
  onData(chunk: Buffer): void
  onEnd(): void
  onLost(lost: Lost): void
}

/** One request under way. After `cancel` its receiver hears nothing more. */
export interface Exchange {
  cancel(): void
  pause(): void
  resume(): void
}

/** Carries requests to one server under one TLS identity, over HTTP/2 or HTTP/1.1. */
export interface Transport {
  dispatch(lane: LaneName, request: WireRequest, receiver: Receiver): Exchange
  /** Takes no more requests. Calls in flight finish; watches end as if the server had ended them. Resolves when all is over. */
  retire(): Promise<void>
  /** Ends everything at once and resolves when the sockets are closed. */
  destroy(lost: Lost): Promise<void>
}

export const protocols = { http2: 'h2', http1: 'http/1.1' } as const

/** The sentence a network error is reported with. Node's own messages name hosts and codes, not what the other side sent. */
export function describe(error: unknown): string {
  const [first] = error instanceof AggregateError ? error.errors : []
  const told = first ?? error
  // The one message that quotes the other side.
  if (codeOf(told) === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'its certificate is for other names'
  return told instanceof Error ? told.message || codeOf(told) || told.name : String(told)
}

export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
