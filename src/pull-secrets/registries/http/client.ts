import { sleep } from '../../../core/clock.ts'
import type { Failure } from '../../../core/failure.ts'
import { isFailure } from '../../../core/failure.ts'
import type { Secret } from '../../../core/secret.ts'
import { failures } from '../../failures.ts'
import { agents } from './agents.ts'
import type { Answer } from './answer.ts'
import { NoAnswer } from './answer.ts'
import type { Priority } from './budget.ts'
import { exchange } from './exchange.ts'
import type { Repeat } from './judge.ts'
import { isAdmission, isRefusal, judgeAnswer, judgeError, unavailable } from './judge.ts'
import type { Line } from './line.ts'
import type { OwnCredentials } from './own-credentials.ts'
import { pauseMs } from './retry-after.ts'
import type { RoutedCall } from './route.ts'
import { isRouted } from './route.ts'

export const retries = 3
const connectMs = 3_000

/** How long a call waits for its turn, pauses that the registry asked for included. */
const patienceMs: Record<Priority, number> = { request: 30_000, background: 120_000 }

export interface CallOptions {
  signal: AbortSignal
  /**
   * `safe`: twice is the same as once. `create`: never sent again while the first may have had an effect; the failure is
   * REGISTRY_UNCERTAIN then, and whoever calls looks (`createOnce`).
   */
  repeat: Repeat
  /** JSON. Revealed secrets belong here and nowhere else. */
  body?: unknown
  /** Instead of JSON. */
  text?: Secret
  query?: Readonly<Record<string, string>>
}

export interface RegistryHttp {
  readonly registry: string
  /**
   * Any answer but those that end or repeat a call: 401 and 403 throw REGISTRY_UNAUTHORIZED, redirects REGISTRY_REFUSED,
   * 429 and 5xx REGISTRY_UNAVAILABLE or REGISTRY_UNCERTAIN.
   */
  call(call: RoutedCall, options: CallOptions): Promise<Answer>
  /** Before trying again, longer with each attempt, counted from 0. */
  pause(attempt: number, signal: AbortSignal): Promise<void>
}

/** A client for the API at `baseUrl`, over the line that all calls to that registry share. */
export function registryHttp(line: Line, baseUrl: string, priority: Priority): RegistryHttp {
  const { registry, clock, random, log } = line
  const base = new URL(baseUrl)
  const prefix = base.pathname.replace(/\/+$/, '')
  const agent = agents(base.protocol, line.auth, log)

  const pause = (attempt: number, signal: AbortSignal) =>
    sleep(clock, pauseMs(attempt, line.retryBaseMs, random), signal)

  /** Files that are missing, or hold nothing that can be presented. */
  const unusable = (error: unknown): never => {
    throw failures.REGISTRY_UNAUTHORIZED({ registry }, error)
  }

  /** What we present. What was refused and has not changed since is not presented again for a while. */
  async function presented() {
    const own = await line.credentials().catch(unusable)
    const { refused } = line
    if (refused?.version === own.version && clock.now() < refused.until)
      throw failures.REGISTRY_UNAUTHORIZED({ registry })
    return own
  }

  const throwIfBlocked = (waitMs: number) => {
    if (waitMs > 0) throw unavailable(registry, 'it has failed too often', waitMs)
  }

  /** Asked before a call waits for its turn, and again when it is its turn: much may have happened meanwhile. */
  async function send(call: RoutedCall, options: CallOptions): Promise<Answer> {
    throwIfBlocked(line.breaker.blockedMs())
    await presented()
    const waitMs = await line.budget.take(priority, patienceMs[priority], options.signal)
    if (waitMs > 0) throw unavailable(registry, 'its turn would come too late', waitMs)
    const own = await presented()
    throwIfBlocked(line.breaker.admit())
    let outcome: 'succeeded' | 'failed' | 'withdrawn' = 'withdrawn'
    const startedAt = clock.now().getTime()
    const seconds = () => Math.max(0, clock.now().getTime() - startedAt) / 1000
    try {
      const answer = await exchanged(call, options, own)
      outcome = answer.status >= 500 ? 'failed' : 'succeeded'
      line.counts.called(resultOf(answer), seconds())
      if (isRefusal(answer)) noteRefusal(own.version)
      else if (isAdmission(answer)) noteAdmission()
      return answer
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      outcome = 'failed'
      const isRefused = error.why === 'certificate-refused'
      if (isRefused) noteRefusal(own.version)
      line.counts.called(isRefused ? 'unauthorized' : 'failed', seconds())
      throw error
    } finally {
      line.breaker[outcome]()
    }
  }

  async function exchanged(call: RoutedCall, options: CallOptions, own: OwnCredentials): Promise<Answer> {
    const { body, text, query, signal } = options
    const content = text?.reveal() ?? (body === undefined ? undefined : JSON.stringify(body))
    const headers = {
      accept: 'application/json',
      'user-agent': 'lanyard',
      ...(own.header && { authorization: own.header.reveal() }),
      ...(content !== undefined && { 'content-type': text ? 'text/plain' : 'application/json' }),
    }
    const path = `${prefix}${call.path}${query ? `?${new URLSearchParams(query)}` : ''}`
    const { method } = call
    const limits = { connectMs, totalMs: line.timeoutMs }
    return await exchange(
      {
        method,
        origin: base,
        path,
        headers,
        ...(content !== undefined && { body: content }),
        agent: await agent().catch(unusable),
        ...limits,
      },
      clock,
      signal,
    )
  }

  function noteRefusal(version: string): void {
    line.refused = { version, until: new Date(clock.now().getTime() + line.pauseMs) }
    line.counts.unauthorized(true)
    log.error({}, 'registry refuses our own credentials')
  }

  function noteAdmission(): void {
    if (!line.refused) return
    delete line.refused
    line.counts.unauthorized(false)
  }

  return {
    registry,
    pause,
    async call(call, options) {
      if (!isRouted(call)) throw new TypeError('a call has to come from a route')
      let doubt: Failure | undefined
      for (let attempt = 0; ; attempt++) {
        const judged = await send(call, options)
          .then(
            (answer) => judgeAnswer(line, answer, call, options.repeat),
            (error) => judgeError(line, error, call, options.repeat),
          )
          // Whatever has become of a repeat, the call before it may have had its effect.
          .catch((error) => {
            throw isFailure(error) ? (doubt ?? error) : error
          })
        if ('answer' in judged) return judged.answer
        if (isFailure(judged.failure, 'REGISTRY_UNCERTAIN')) doubt = judged.failure
        if (!judged.isRepeated || attempt === retries) throw doubt ?? judged.failure
        await pause(attempt, options.signal)
      }
    },
  }
}

const resultOf = (answer: Answer) => {
  const { status } = answer
  if (isRefusal(answer)) return 'unauthorized'
  if (status === 429) return 'throttled'
  if (status >= 500) return 'failed'
  return status < 300 ? 'ok' : 'refused'
}
