import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../../core/clock.ts'
import type { Caller, RestAnswer, RestRequest, RestRoute } from '../../fleet/rest.ts'
import { failures } from '../failures.ts'
import { sendEvents } from './events.ts'
import type { Checker } from './input.ts'
import { bodyChecker, distinct, textChecker } from './input.ts'
import type { InputPlace } from './problem.ts'
import { inputFailure } from './problem.ts'

export interface HandlerDeps {
  clock: Clock
  answerWithinMs?: number
  /** Aborts when the server is told to stop: streams have no end of their own. */
  stopping: AbortSignal
}

/** Checks what was sent by the schemas of the route, and answers what the route says. */
export function requestHandler(
  route: RestRoute,
  { clock, answerWithinMs = 120_000, stopping }: HandlerDeps,
  callerOf: (request: FastifyRequest) => Caller,
) {
  const params = route.params && textChecker(route.params)
  const query = textChecker(route.query ?? ({ type: 'object', properties: {} } as never))
  const body = route.body && bodyChecker(route.body)
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const checked: Pick<RestRequest, 'params' | 'query' | 'body'> = {
      params: valid(params, request.params, 'params'),
      query: valid(query, request.query, 'query'),
      body: validBody(body, route, request.body),
    }
    const over = new AbortController()
    reply.raw.once('close', () => over.abort(new Error('nobody waits for the answer any more')))
    const asked = { ...checked, headers: singleHeaders(request), caller: callerOf(request), signal: over.signal }
    const answer = await within(route.handle(asked), answerWithinMs, clock, over)
    if (answer.events)
      return await sendEvents(reply, answer, { clock, signal: AbortSignal.any([over.signal, stopping]) })
    return await send(reply, answer)
  }
}

function valid(check: Checker | undefined, sent: unknown, where: InputPlace): unknown {
  if (!check) return {}
  const { value, errors } = check(sent)
  if (errors.length > 0) throw inputFailure(errors, where)
  return value
}

/** What the schema says and what the route says, told at once. */
function validBody(check: Checker | undefined, route: RestRoute, sent: unknown): unknown {
  if (route.readsBody) return typeof sent === 'string' ? sent : ''
  if (!check) return undefined
  const { value, errors } = check(sent ?? {})
  const all = distinct([...errors, ...(route.check?.(value) ?? [])])
  if (all.length > 0) throw inputFailure(all, 'body')
  return value
}

/** What the route began goes on: it is written down, and asked for again. */
async function within<T>(work: Promise<T>, ms: number, clock: Clock, over: AbortController): Promise<T> {
  const late = Promise.withResolvers<never>()
  using _countdown = clock.countdown(ms, () => {
    const failure = failures.REST_LATE({ seconds: Math.round(ms / 1_000) })
    late.reject(failure)
    over.abort(failure)
  })
  work.catch(() => {})
  return await Promise.race([work, late.promise])
}

async function send(reply: FastifyReply, { status, body, headers = {} }: RestAnswer) {
  reply.code(status).headers(headers)
  if (body === undefined) return await reply.send()
  return await reply.header('content-type', 'application/json').send(Buffer.from(JSON.stringify(body)))
}

const singleHeaders = ({ headers }: FastifyRequest): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]))
