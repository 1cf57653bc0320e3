import type { Socket } from 'node:net'
import helmet from '@fastify/helmet'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fastify from 'fastify'
import type { Clock } from '../../core/clock.ts'
import { isFailure } from '../../core/failure.ts'
import type { Log } from '../../core/log.ts'
import type { Metrics } from '../../core/metrics.ts'
import type { Access } from '../../fleet/identity/index.ts'
import type { Caller, RestApi, RestRoute } from '../../fleet/rest.ts'
import { failures } from '../failures.ts'
import { answerClientError } from './client-error.ts'
import type { Claim } from './connection-limits.ts'
import type { Gate } from './gate.ts'
import { gateOf } from './gate.ts'
import { requestHandler } from './handler.ts'
import type { Limiter } from './limiter.ts'
import { openapiOf } from './openapi.ts'
import { referencePage } from './page.ts'
import { checkRawPath, routerPath, verbsAt } from './path.ts'
import { problemFor } from './problem.ts'
import { addRawRoutes, takeAnyText } from './raw.ts'
import type { Trace } from './trace.ts'
import { traceOf } from './trace.ts'

export interface RestAppOptions {
  api: RestApi
  access: Pick<Access, 'authenticate' | 'may'> & Partial<Pick<Access, 'reachesAll'>>
  clock: Clock
  log: Log
  metrics: Metrics
  /** `lanyard_<area>_requests_total`. */
  metricsArea: string
  /** For every call, and by the name a route gives. Absent: none is limited. */
  limits?: { every: Limiter; named: Readonly<Record<string, Limiter>> }
  /** Default 64 KiB. */
  bodyLimitBytes?: number
  /** For the whole request to arrive. Default 30 s. */
  requestWithinMs?: number
  /** For a route to answer. Default 120 s. */
  answerWithinMs?: number
  /** Whose connections are. Default: nobody counts them. */
  claim?: Claim
  /** Proxies whose word for the address of a caller counts. Default: none. */
  isProxy?: (address: string) => boolean
  /** Certificates are shown with https. */
  tls?: { certPem: string; keyPem: { reveal(): string } }
}

interface Exchange {
  trace: Trace
  startedAt: Date
  rawPath: string
  route?: RestRoute
  caller?: Caller
}

const statusClasses = ['2xx', '3xx', '4xx', '5xx'] as const

/** Everything but listening: routes, who may call them, problems, logs, metrics, and the page about it all. */
export async function restApp(options: RestAppOptions): Promise<FastifyInstance> {
  const { api, clock, log, bodyLimitBytes = 64 * 1024, requestWithinMs = 30_000 } = options
  const exchanges = new WeakMap<FastifyRequest, Exchange>()
  const exchangeOf = (request: FastifyRequest): Exchange => {
    let exchange = exchanges.get(request)
    if (!exchange) {
      const [rawPath = '/'] = (request.raw.url ?? '/').split('?', 1)
      exchange = { trace: traceOf(single(request.headers.traceparent)), startedAt: clock.now(), rawPath }
      exchanges.set(request, exchange)
    }
    return exchange
  }
  const sendProblem = async (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const { trace, rawPath } = exchangeOf(request)
    const { problemOf, problemStyle: style } = api
    const place = { instance: rawPath, traceId: trace.traceId, clock, problemOf, style }
    const { document, headers, isInternal } = problemFor(foreseen(error, bodyLimitBytes), place)
    if (isInternal) log.error({ err: error, traceId: trace.traceId }, 'a request failed')
    return await reply
      .code(document.status)
      .headers({ ...commonHeaders(trace), ...headers, 'content-type': 'application/problem+json' })
      // Who is not known has to come anew, at the pace of their address.
      .headers(document.status === 401 ? { connection: 'close' } : {})
      // Bytes, because text would be given a charset that JSON has none of.
      .send(Buffer.from(JSON.stringify(document)))
  }

  const app = fastify({
    logger: false,
    bodyLimit: bodyLimitBytes,
    requestTimeout: requestWithinMs,
    connectionTimeout: 0,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    // Who has a connection may finish: whoever balances the load was told by /readyz.
    return503OnClosing: false,
    ...(options.isProxy && { trustProxy: options.isProxy }),
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 1_024, caseSensitive: true, ignoreTrailingSlash: false },
    clientErrorHandler: (error: NodeJS.ErrnoException, socket: Socket) =>
      answerClientError(error, socket, { clock, style: api.problemStyle }),
    frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) =>
      void sendProblem(checkRawPath(exchangeOf(request).rawPath) ?? error, request, reply),
    ...(options.tls && {
      https: {
        cert: options.tls.certPem,
        key: options.tls.keyPem.reveal(),
        minVersion: 'TLSv1.2',
        // What lies read and waits for its turn, of every long body: by default four times as much.
        highWaterMark: 16 * 1024,
      },
    }),
  } as Parameters<typeof fastify>[0]) as unknown as FastifyInstance

  app.setErrorHandler(sendProblem)
  // Beside the others and not among them: no hook of theirs runs here.
  await app.register(async (scope) => addRawRoutes(scope, api.raw ?? [], options.claim ?? (() => true)))
  await app.register(async (scope) => await addDeclared(scope, options, exchangeOf))
  return app
}

async function addDeclared(
  app: FastifyInstance,
  options: RestAppOptions,
  exchangeOf: (of: FastifyRequest) => Exchange,
) {
  const { api, clock, log, metrics, metricsArea } = options
  await app.register(helmet, { global: true, contentSecurityPolicy: { useDefaults: false, directives: strictPolicy } })
  app.removeAllContentTypeParsers()
  const jsonTypes = ['application/json', 'application/cloudevents+json']
  app.addContentTypeParser(jsonTypes, { parseAs: 'string' }, async (_: FastifyRequest, body: string) => {
    if (body === '') return undefined
    try {
      return JSON.parse(body)
    } catch {
      // Without the parser's error: it quotes the body.
      throw failures.SERVER_BAD_JSON()
    }
  })

  const counted = requestMetrics(metrics, metricsArea, api.routes)
  const gate: Gate = gateOf(options)
  const byKey = new Map(api.routes.map((route) => [`${route.method} ${routerPath(route.path)}`, route]))

  app.addHook('onRequest', async (request, reply) => {
    const exchange = exchangeOf(request)
    reply.headers(commonHeaders(exchange.trace))
    const wrong = checkRawPath(exchange.rawPath) ?? api.checkPath?.(exchange.rawPath)
    if (wrong) throw wrong
    const route = byKey.get(`${request.method} ${request.routeOptions.url}`)
    if (!route) return
    exchange.route = route
    exchange.caller = await gate.authenticate(request, reply, exchange.trace)
    gate.claim(exchange.caller, request)
    await gate.authorize(exchange.caller, request, reply, route)
    reply.headers(gate.limit(exchange.caller, route))
  })
  app.addHook('onResponse', async (request, reply) => {
    const { route, caller, trace, startedAt, rawPath } = exchangeOf(request)
    const ms = clock.now().getTime() - startedAt.getTime()
    counted(route, reply.statusCode, ms)
    log.info(
      {
        method: request.method,
        path: rawPath.slice(0, 512),
        status: reply.statusCode,
        ms,
        ...(route && { operation: route.operationId }),
        ...(caller && { caller: caller.name }),
        traceId: trace.traceId,
      },
      'request answered',
    )
  })
  const verbs = verbsAt([...api.routes, ...(api.raw ?? [])])
  app.setNotFoundHandler(async (request, reply) => {
    const allowed = verbs(exchangeOf(request).rawPath)
    if (allowed.length === 0) throw failures.SERVER_NO_SUCH_PATH()
    reply.header('allow', allowed.join(', '))
    throw failures.SERVER_WRONG_METHOD({ allowed: allowed.join(' and ') })
  })

  const stopping = new AbortController()
  app.addHook('preClose', async () => stopping.abort(new Error('the server stops')))
  const deps = { ...options, stopping: stopping.signal }
  const add = (to: FastifyInstance, route: RestRoute) =>
    to.route({
      method: route.method,
      url: routerPath(route.path),
      handler: requestHandler(route, deps, (request) => exchangeOf(request).caller as Caller),
    })
  for (const route of api.routes) if (!route.readsBody) add(app, route)
  await app.register(async (scope) => {
    takeAnyText(scope)
    for (const route of api.routes) if (route.readsBody) add(scope, route)
  })
  const document = openapiOf(api)
  const documentBytes = Buffer.from(JSON.stringify(document, null, 2))
  app.get('/openapi.json', async (_, reply) => reply.header('content-type', 'application/json').send(documentBytes))
  const { html, policy } = referencePage(document)
  app.get('/docs', async (_, reply) =>
    reply.header('content-security-policy', policy).type('text/html; charset=utf-8').send(html),
  )
}

const strictPolicy = { defaultSrc: ["'none'"], frameAncestors: ["'none'"], baseUri: ["'none'"], formAction: ["'none'"] }

const commonHeaders = ({ traceparent, traceId }: Trace) => ({
  'cache-control': 'no-store',
  traceparent,
  'x-request-id': traceId,
})

/** Errors of the framework, by their codes, in our words. */
function foreseen(error: unknown, limitBytes: number): unknown {
  if (isFailure(error)) return error
  switch ((error as FastifyError | undefined)?.code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_CTP_EMPTY_TYPE':
      return failures.SERVER_WRONG_CONTENT_TYPE()
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return failures.SERVER_BODY_TOO_LARGE({ limitBytes })
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return failures.SERVER_BODY_CUT()
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return failures.REST_BAD_PATH({ field: 'a segment', rule: 'it is broken or too long' })
    default:
      return error
  }
}

function requestMetrics(metrics: Metrics, area: string, routes: readonly RestRoute[]) {
  const operation = [...routes.map(({ operationId }) => operationId), 'other']
  const total = metrics.counter(`lanyard_${area}_requests_total`, 'Requests by operation and class of status', {
    operation,
    status: statusClasses,
  })
  const seconds = metrics.histogram(`lanyard_${area}_request_seconds`, 'Time until a request was answered', {
    operation,
  })
  return (route: RestRoute | undefined, status: number, ms: number): void => {
    const labels = { operation: route?.operationId ?? 'other' }
    total.inc({ ...labels, status: statusClasses[Math.min(3, Math.max(0, Math.floor(status / 100) - 2))] ?? '5xx' })
    seconds.observe(labels, ms / 1_000)
  }
}

const single = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? undefined : header
