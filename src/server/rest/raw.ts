import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { RawAnswer, RawRequest, RawRoute } from '../../fleet/rest.ts'
import { waitedFor } from './gate.ts'
import { routerPath } from './path.ts'
import { traceOf } from './trace.ts'

/** Paths that settle everything by themselves. Nothing is done for them that they do not ask for. */
export function addRawRoutes(scope: FastifyInstance, routes: readonly RawRoute[]): void {
  takeAnyText(scope)
  for (const route of routes)
    scope.route({
      method: route.method,
      url: routerPath(route.path),
      ...(route.bodyLimitBytes !== undefined && { bodyLimit: route.bodyLimitBytes }),
      handler: (request, reply) => answer(route, new Asked(request, reply, bodyOf(request)), reply),
      errorHandler: (error: FastifyError, request, reply) => {
        if (error.code !== 'FST_ERR_CTP_BODY_TOO_LARGE') throw error
        return answer(route, new Asked(request, reply, undefined), reply)
      },
    })
}

/** Whatever it calls itself, a body is taken as the text that it is. */
export function takeAnyText(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'string' }, (_, body, done) => done(null, body))
}

const bodyOf = ({ body }: FastifyRequest): string => (typeof body === 'string' ? body : '')

async function answer(route: RawRoute, asked: RawRequest, reply: FastifyReply) {
  const told = route.handle(asked)
  return send(reply, told instanceof Promise ? await told : told)
}

function send(reply: FastifyReply, { status, contentType = 'application/json', body, headers }: RawAnswer) {
  reply.code(status).header('content-type', contentType).header('cache-control', 'no-store')
  if (headers) reply.headers(headers)
  // Bytes, because text would be given a charset that JSON has none of.
  return reply.send(Buffer.from(body))
}

/** What costs something is made when it is asked for: most answers need neither a trace nor a signal. */
class Asked implements RawRequest {
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply
  #traceId: string | undefined
  #signal: AbortSignal | undefined
  readonly body: string | undefined

  constructor(request: FastifyRequest, reply: FastifyReply, body: string | undefined) {
    this.#request = request
    this.#reply = reply
    this.body = body
  }
  get params() {
    return this.#request.params as Record<string, string>
  }
  get query() {
    return this.#request.query as Record<string, string | string[] | undefined>
  }
  get headers() {
    return this.#request.headers
  }
  get address() {
    return this.#request.ip
  }
  get traceId() {
    const { traceparent } = this.#request.headers
    this.#traceId ??= traceOf(typeof traceparent === 'string' ? traceparent : undefined).traceId
    return this.#traceId
  }
  get signal() {
    this.#signal ??= waitedFor(this.#reply)
    return this.#signal
  }
}
