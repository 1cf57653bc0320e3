import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { RawAnswer, RawRequest, RawRoute } from '../../fleet/rest.ts'
import type { Claim } from './connection-limits.ts'
import { waitedFor } from './gate.ts'
import { routerPath } from './path.ts'
import { traceOf } from './trace.ts'

/** Paths that settle everything by themselves. Nothing is done for them that they do not ask for. */
export function addRawRoutes(scope: FastifyInstance, routes: readonly RawRoute[], claim: Claim): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_, _body, done) => done(null))
  for (const route of routes)
    scope.route({
      method: route.method,
      url: routerPath(route.path),
      handler: (request, reply) => answer(route, new Asked(request, reply, claim), reply),
    })
}

/** Whatever it calls itself, a body is taken as the text that it is. */
export function takeAnyText(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'string' }, (_, body, done) => done(null, body))
}

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
  readonly #claim: Claim
  #traceId: string | undefined
  #signal: AbortSignal | undefined

  constructor(request: FastifyRequest, reply: FastifyReply, claim: Claim) {
    this.#request = request
    this.#reply = reply
    this.#claim = claim
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
  get body() {
    return this.#request.raw
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
  claim(caller: string) {
    return this.#claim(this.#request.raw.socket, caller)
  }
}
