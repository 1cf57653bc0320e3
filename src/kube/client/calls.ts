import type { Failure } from '../../core/failure.ts'
import type { CallOptions } from '../kube.ts'
import type { Answer } from './answer.ts'
import type { WatchStream } from './watch-stream.ts'

export interface Call extends CallOptions {
  method: string
  /** Without the server's prefix and the query. */
  path: string
  /** As `queryString` makes it. */
  query?: string
  /** For metrics: what is asked for, without names. */
  target: string
  accept?: string | undefined
  contentType?: string | undefined
  body?: Buffer | undefined
  compress?: boolean
  /** Told how the body of a "yes" begins as soon as it does, unless that is packed; again when the call is repeated. */
  onBegin?: (begin: Buffer) => void
}

/** Makes calls to one API, over the network or within the process. */
export interface Calls {
  /** For messages. */
  readonly server: string
  /** Whether packed answers are worth their unpacking. */
  readonly compress: boolean
  /** What one informer may keep of what it answers, as JSON. */
  readonly mostKeptBytes: number
  /** The server's "yes". Its "no" is thrown. */
  call(call: Call): Promise<Answer>
  /** The object that the server answered with. */
  object<R>(call: Call): Promise<R>
  /** The stream of a watch, once the server has agreed to it. */
  open(call: Call): Promise<WatchStream>
  badAnswer(call: Pick<Call, 'method' | 'path'>, detail: string): Failure
}
