import type { Failure } from '../../core/failure.ts'
import type { Random } from '../../core/random.ts'
import { failures } from '../failures.ts'
import type { Kube } from '../kube.ts'
import { Answer, failureOf, parseJson } from './answer.ts'
import type { Call, Calls } from './calls.ts'
import { kubeOver } from './client.ts'
import { WatchStream } from './watch-stream.ts'

export interface InProcessRequest {
  readonly method: string
  readonly path: string
  /** Empty, or with its question mark. */
  readonly query: string
  readonly accept: string
  readonly contentType: string
  readonly body: Buffer
}

export type InProcessAnswer =
  | { readonly code: number; readonly contentType: string; readonly body: string }
  /** A watch. Lines are whole events with their line ends. */
  | { open(sink: LineSink): Disposable & { resume(): void } }

export interface LineSink {
  /** False: it can take no more for now; `resume` is called when it can. */
  take(line: Buffer): boolean
  end(): void
}

/** An API server that lives in this very process. */
export interface InProcessServer {
  answer(request: InProcessRequest): Promise<InProcessAnswer>
}

/** The same API as over the network, without one: for what runs inside the server. */
export const kubeInProcess = (server: InProcessServer, random: Random): Kube =>
  kubeOver(new InProcessCalls(server), random)

const bufferBytes = 1024 * 1024

class InProcessCalls implements Calls {
  readonly server = 'this process'
  readonly compress = false
  readonly mostKeptBytes = Number.POSITIVE_INFINITY
  readonly #server: InProcessServer

  constructor(server: InProcessServer) {
    this.#server = server
  }

  async call(call: Call): Promise<Answer> {
    const answered = await this.#ask(call)
    if ('open' in answered) throw this.badAnswer(call, 'it is a watch')
    const answer = new Answer(() => {})
    answer.onAnswer(answered.code, { 'content-type': answered.contentType })
    answer.onData(Buffer.from(answered.body))
    if (!answer.isSuccess) throw await failureOf(answer, call)
    return answer
  }

  async object<R>(call: Call): Promise<R> {
    const answer = await this.call(call)
    const parsed = parseJson(await answer.text())
    if (typeof parsed !== 'object' || parsed === null) throw this.badAnswer(call, 'the body is not whole JSON')
    return parsed as R
  }

  async open(call: Call): Promise<WatchStream> {
    const answered = await this.#ask(call)
    const { method, path, signal } = call
    const stream = new WatchStream({ method, path, server: this.server }, { bufferBytes }, () => {})
    if (!('open' in answered)) {
      stream.onAnswer(answered.code, { 'content-type': answered.contentType })
      stream.onData(Buffer.from(answered.body))
      throw stream.isSuccess ? this.badAnswer(call, 'it is no watch') : await failureOf(stream, call)
    }
    stream.onAnswer(200, {})
    let isPaused = false
    let isCancelled = false
    const watch = answered.open({
      take(line) {
        stream.onData(line)
        return !isPaused
      },
      // As over the network, whoever cancels is not told of an end: a reader is told why instead.
      end: () => isCancelled || stream.onEnd(),
    })
    stream.exchange = {
      cancel() {
        isCancelled = true
        watch[Symbol.dispose]()
      },
      pause() {
        isPaused = true
      },
      resume() {
        isPaused = false
        watch.resume()
      },
    }
    const onAbort = () => stream.fail(signal?.reason)
    signal?.addEventListener('abort', onAbort, { once: true })
    stream.whenOver(() => signal?.removeEventListener('abort', onAbort))
    return stream
  }

  badAnswer({ method, path }: Pick<Call, 'method' | 'path'>, detail: string): Failure {
    return failures.KUBE_BAD_ANSWER({ method, path, server: this.server, detail })
  }

  async #ask(call: Call): Promise<InProcessAnswer> {
    const { signal, method, path, query = '', accept = 'application/json', contentType = 'application/json' } = call
    signal?.throwIfAborted()
    const answered = await this.#server.answer({
      method,
      path,
      query,
      accept,
      contentType,
      body: call.body ?? Buffer.alloc(0),
    })
    signal?.throwIfAborted()
    return answered
  }
}
