import { constants } from 'node:buffer'
import type { Connection } from '../connection.ts'
import type { Final } from './transport.ts'

/** One answer, or one try without an answer, for metrics. */
export interface RequestSample {
  method: string
  /** What was asked for, without names: `secrets`, `leases.coordination.k8s.io`, `pods/eviction`, `/version`. */
  target: string
  watch: boolean
  /** The HTTP status; 0 when there was no answer, also where the deadline ended the waiting for one. */
  code: number
  /** Why another try cannot help, where there was no answer because of what the other side is. */
  final?: Final
  /** Until the whole answer was there; of a watch, until it was open. */
  ms: number
}

export interface ClientOptions {
  /** Default `lanyard`. */
  userAgent?: string
  /** Calls a second, watches not counted. 0: as many as come. Default 50. */
  qps?: number
  /** Calls that may be made at once after a pause. Default 100. */
  burst?: number
  /** Of a call that names none. Milliseconds, retries included. Default 30,000. */
  deadlineMs?: number
  /**
   * How often a request that was lost on the way is sent again, where that is safe. The pauses grow from 50 ms to 1.6 s:
   * enough for a connection that must be replaced; a server that restarts is for the caller's own loop. Default 6.
   */
  retries?: number
  /** TCP, proxy, TLS and the HTTP/2 greeting together. Default 10,000. */
  connectMs?: number
  /** Silence on a connection with requests under way before it is probed; with calls under way never more than 1,000. 0: never. Default 30,000. */
  pingAfterMs?: number
  /** How long a probe may go unanswered before the connection counts as dead; one of calls never more than 5,000. Default 15,000. */
  pingTimeoutMs?: number
  /** A connection without requests is closed after about this. Shorter than what load balancers forget silently. Default 90,000. */
  idleMs?: number
  /** Connections for calls; further requests share them up to the server's limit, then wait. Default 4. */
  maxCallConnections?: number
  /**
   * Ask for gzip on lists. Default: unless the connection says not to, or the server is on the loopback interface, where
   * unpacking costs more than it saves.
   */
  compress?: boolean
  /** A watch reads no further from the network while its consumer is this many bytes behind. Default 1 MiB. */
  watchBufferBytes?: number
  /** All answers under way together, and one once it is unpacked. Default: as much as one string can hold, 512 MiB. */
  mostAnswerBytes?: number
  /** A line of a watch. Default 16 MiB: several times what a server stores as one object. */
  mostLineBytes?: number
  /** What one informer keeps, as JSON. Default: whatever there is. */
  mostKeptBytes?: number
  onRequest?(sample: RequestSample): void
  /**
   * Asked before each call and each watch, not before each try. What it throws, the call throws; what it returns is
   * called when the call is over, or the watch is, however it ended.
   */
  admit?(): (() => void) | undefined
}

type Hooks = 'onRequest' | 'admit'
export type Settings = Required<Omit<ClientOptions, Hooks>> & Pick<ClientOptions, Hooks>

export const settingsOf = (
  options: ClientOptions,
  { loopback, disableCompression }: { loopback: boolean } & Pick<Connection, 'disableCompression'>,
): Settings => ({
  userAgent: 'lanyard',
  qps: 50,
  burst: 100,
  deadlineMs: 30_000,
  retries: 6,
  connectMs: 10_000,
  pingAfterMs: 30_000,
  pingTimeoutMs: 15_000,
  idleMs: 90_000,
  maxCallConnections: 4,
  compress: !loopback && !disableCompression,
  watchBufferBytes: 2 ** 20,
  mostAnswerBytes: constants.MAX_STRING_LENGTH,
  mostLineBytes: 16 * 2 ** 20,
  mostKeptBytes: Number.POSITIVE_INFINITY,
  ...options,
})
