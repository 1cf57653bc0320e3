import type { Clock } from '../../core/clock.ts'
import { egressDenied } from '../../core/egress.ts'
import type { Failure } from '../../core/failure.ts'
import { isFailure } from '../../core/failure.ts'
import type { Log } from '../../core/log.ts'
import type { Random } from '../../core/random.ts'
import type { Connection, Credentials } from '../connection.ts'
import { failures } from '../failures.ts'
import { Answer, failureOf, parseJson, Room } from './answer.ts'
import { authorizationHeader } from './authorization.ts'
import type { Call, Calls } from './calls.ts'
import { Endpoint } from './endpoint.ts'
import type { Headers } from './headers.ts'
import { checkedHeaders } from './headers.ts'
import type { Settings } from './options.ts'
import { RateLimit } from './rate-limit.ts'
import type { Tries, Verdict } from './retry.ts'
import { afterAnswer, afterLoss } from './retry.ts'
import { Scope } from './scope.ts'
import type { Target } from './target.ts'
import type { LaneName } from './transport.ts'
import { Lost } from './transport.ts'
import { WatchStream } from './watch-stream.ts'

export interface CallerDeps {
  connection: Connection
  target: Target
  settings: Settings
  clock: Clock
  random: Random
  log: Log
}

export const tooLong = 'the answer is longer than there is room for'

/** Makes calls: paced, authenticated, repeated where that is safe, within a deadline. */
export class Caller implements Calls {
  readonly #deps: CallerDeps
  readonly #endpoint: Endpoint
  readonly #limit: RateLimit
  readonly #headers: Headers
  readonly #room: Room
  /** Of the calls under way, with what `admit` wants to be called after each. */
  readonly #scopes = new Map<Scope, (() => void) | undefined>()
  #asked = 0
  readonly #closing = new AbortController()

  constructor(deps: CallerDeps) {
    this.#deps = deps
    this.#endpoint = new Endpoint(deps)
    this.#limit = new RateLimit(deps.clock, deps.settings)
    this.#room = new Room(deps.settings.mostAnswerBytes)
    this.#headers = checkedHeaders({ 'user-agent': deps.settings.userAgent, ...deps.connection.headers })
  }

  get server(): string {
    return this.#deps.target.shown
  }

  get compress(): boolean {
    return this.#deps.settings.compress
  }

  get mostKeptBytes(): number {
    return this.#deps.settings.mostKeptBytes
  }

  /** The server's "yes". Its "no" is thrown. */
  async call(call: Call): Promise<Answer> {
    const scope = this.#scope(call)
    const { compress: packed, onBegin } = call
    try {
      return await this.#persist(call, scope, 'call', (done) => new Answer(done, { packed, onBegin, room: this.#room }))
    } finally {
      this.#leave(scope)
    }
  }

  /** The object that the server answered with. */
  async object<R>(call: Call): Promise<R> {
    const answer = await this.call(call)
    const parsed = parseJson(await answer.text())
    if (typeof parsed !== 'object' || parsed === null)
      throw this.badAnswer(call, answer.isTooLong ? tooLong : 'the body is not whole JSON')
    return parsed as R
  }

  badAnswer({ method, path }: Pick<Call, 'method' | 'path'>, detail: string): Failure {
    return failures.KUBE_BAD_ANSWER({ method, path, server: this.server, detail })
  }

  /** The stream of a watch, once the server has agreed to it. It ends with the call's signal or with the client. */
  async open(call: Call): Promise<WatchStream> {
    const scope = this.#scope(call)
    const { settings } = this.#deps
    const context = { method: call.method, path: call.path, server: this.server }
    const limits = { bufferBytes: settings.watchBufferBytes, lineBytes: settings.mostLineBytes, room: this.#room }
    try {
      const stream = await this.#persist(call, scope, 'watch', (done) => new WatchStream(context, limits, done))
      scope.keep((reason) => stream.fail(reason))
      stream.whenOver(() => this.#leave(scope))
      return stream
    } catch (error) {
      this.#leave(scope)
      throw error
    }
  }

  async close(): Promise<void> {
    const closed = failures.KUBE_CLOSED({ server: this.server })
    for (const scope of [...this.#scopes.keys()]) scope.end(closed)
    this.#closing.abort(closed)
    await this.#endpoint.destroy(new Lost('the client was closed', { sent: true, final: 'refused' }))
  }

  /** Tries until there is an answer to keep. `R` is the answer and receives it, too. */
  async #persist<R extends Answer>(
    call: Call,
    scope: Scope,
    lane: LaneName,
    receive: (done: (lost?: Lost) => void) => R,
  ): Promise<R> {
    const { clock, connection, random, settings } = this.#deps
    const canRefresh = connection.credentials !== undefined
    const tries: Tries = { method: call.method, postponed: 0, lost: 0, mostLost: settings.retries, canRefresh }
    for (let refresh = false; ; ) {
      if (call.ahead) this.#limit.takeAhead()
      else if (lane === 'call' && !this.#limit.tryTake()) await scope.step<void>((go) => this.#limit.take(go))
      const outcome: R | Lost = await this.#attempt(call, scope, lane, refresh, receive)
      const verdict: Verdict =
        outcome instanceof Lost
          ? afterLoss(outcome, tries, random)
          : afterAnswer(outcome.status, outcome.headers['retry-after'], tries)
      refresh = verdict.next === 'refresh'
      if (refresh) tries.canRefresh = false
      else if (verdict.next === 'retry' && scope.allows(clock, verdict.afterMs)) {
        scope.trouble = outcome instanceof Lost ? outcome : undefined
        if (outcome instanceof Lost) tries.lost++
        else tries.postponed++
        await scope.sleep(clock, verdict.afterMs)
      } else if (outcome instanceof Lost) throw this.#failure(outcome, call.method)
      else if (outcome.isSuccess) return outcome
      else throw await failureOf(outcome, call)
    }
  }

  async #attempt<R extends Answer>(
    call: Call,
    scope: Scope,
    lane: LaneName,
    refresh: boolean,
    receive: (done: (lost?: Lost) => void) => R,
  ): Promise<R | Lost> {
    const asked = ++this.#asked
    const credentials = await this.#credentials(scope, refresh, call.signal)
    const transport = this.#endpoint.transportFor(credentials, asked)
    const request = {
      method: call.method,
      path: `${this.#deps.target.prefix}${call.path}${call.query ?? ''}`,
      headers: this.#headersFor(call, credentials),
      body: call.body,
    }
    const sample = this.#sampler(call, lane)
    let received: R | undefined
    try {
      const outcome = await scope.step<R | Lost>((resolve) => {
        const receiver: R = receive((lost) => resolve(lost ?? receiver))
        received = receiver
        const exchange = transport.dispatch(lane, request, receiver)
        receiver.exchange = exchange
        return () => exchange.cancel()
      })
      if (outcome instanceof Lost) sample?.(0, outcome.final)
      else sample?.(outcome.status)
      return outcome
    } catch (error) {
      if (isFailure(error, 'KUBE_DEADLINE')) sample?.(0)
      throw error
    } finally {
      received?.release()
    }
  }

  /** A deadline does not end the fetching: a login that takes longer than one call serves the next. */
  async #credentials(
    scope: Scope,
    refresh: boolean,
    signal: AbortSignal | undefined,
  ): Promise<Credentials | undefined> {
    const { connection } = this.#deps
    if (!connection.credentials) return undefined
    try {
      const closing = this.#closing.signal
      const over = signal ? AbortSignal.any([signal, closing]) : closing
      return await scope.wait(async () => connection.credentials?.({ ...(refresh && { refresh }), signal: over }))
    } catch (error) {
      if (scope.ended || isFailure(error)) throw error
      throw failures.KUBE_NO_CREDENTIALS(
        { server: this.server, detail: 'they could not be read, see the cause' },
        error,
      )
    }
  }

  #headersFor(call: Call, credentials: Credentials | undefined): Headers {
    const headers: Headers = { ...this.#headers, accept: call.accept ?? 'application/json' }
    const authorization = credentials && authorizationHeader(credentials, this.server)
    if (authorization) headers['authorization'] = authorization
    if (call.compress) headers['accept-encoding'] = 'gzip'
    if (call.body) {
      headers['content-type'] = call.contentType ?? 'application/json'
      headers['content-length'] = String(call.body.length)
    }
    return headers
  }

  #sampler({ method, target }: Call, lane: LaneName): ((code: number, final?: Lost['final']) => void) | undefined {
    const { settings, clock } = this.#deps
    if (!settings.onRequest) return undefined
    const startedAt = clock.now().getTime()
    return (code, final) => {
      const ms = clock.now().getTime() - startedAt
      settings.onRequest?.({ method, target, watch: lane === 'watch', code, ms, ...(final && { final }) })
    }
  }

  #failure(lost: Lost, method: string): Failure {
    const denied = egressDenied(lost.cause)
    if (denied) return denied
    const { server } = this
    const detail =
      lost.sent && method !== 'GET'
        ? `${lost.message}; the ${method} was sent and may have been carried out`
        : lost.message
    return lost.final === 'untrusted'
      ? failures.KUBE_UNTRUSTED({ server, detail }, lost.cause)
      : failures.KUBE_UNREACHABLE({ server, detail }, lost.cause)
  }

  #scope({ method, path, signal, deadlineMs = this.#deps.settings.deadlineMs }: Call): Scope {
    const { server } = this
    if (this.#closing.signal.aborted) throw failures.KUBE_CLOSED({ server })
    const onOver = this.#deps.settings.admit?.()
    const failure = (trouble: unknown) => failures.KUBE_DEADLINE({ method, path, deadlineMs, server }, trouble)
    const scope = new Scope(this.#deps.clock, { ms: deadlineMs, failure }, signal)
    this.#scopes.set(scope, onOver)
    return scope
  }

  #leave(scope: Scope): void {
    scope[Symbol.dispose]()
    const onOver = this.#scopes.get(scope)
    if (this.#scopes.delete(scope)) onOver?.()
  }
}
