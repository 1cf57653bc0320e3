import type { Clock } from '../core/clock.ts'
import { sleep } from '../core/clock.ts'
import { aborted } from '../core/lifecycle.ts'
import type { Log } from '../core/log.ts'
import type { Metrics } from '../core/metrics.ts'
import { noMetrics } from '../core/metrics.ts'
import type { AdmissionWebhook } from '../fleet/admission.ts'
import { admissionRoutes } from './admission.ts'
import { json } from './answer.ts'
import { Bodies } from './bodies.ts'
import type { Callers } from './callers.ts'
import { Connections } from './connections.ts'
import { exchange } from './exchange.ts'
import type { Checks } from './health.ts'
import { healthRoutes } from './health.ts'
import { keepCertificate, orAbort } from './keep-certificate.ts'
import type { Address } from './listener.ts'
import { listen } from './listener.ts'
import type { Route, Routes } from './route.ts'
import { readJson } from './route.ts'
import type { Bound, Server } from './server.ts'
import { boundAt, serverOf } from './server.ts'
import type { CertificateSource } from './serving-certificate.ts'
import { Turns } from './turns.ts'

export interface ServeOptions {
  listen: Address
  certificate: CertificateSource
  clock: Clock
  log: Log
  /** Served at `/metrics` when given. */
  metrics?: Metrics
  checks?: Checks
  webhooks?: readonly AdmissionWebhook[]
  /** Who may call the webhooks. Conversion is open to all, since no API server shows a certificate for it. Absent: everybody. */
  callers?: Callers | undefined
  /** What is held for clients at a time: connections of those that show no certificate, and bytes of bodies. */
  limits?: { readonly connections: number; readonly bodyBytes: number }
  /** A ConversionReview in, the same with its response out; served at `/convert` when given. Long work gives way in between. */
  convert?: (review: unknown, giveWay: () => Promise<void>) => unknown
}

/** The https server of a process: health, metrics, admission webhooks, conversion. Ends within about a second of the abort. */
export const serve = (options: ServeOptions): Server =>
  serverOf((signal, onListening) => runServer(options, signal, onListening))

async function runServer(options: ServeOptions, signal: AbortSignal, onListening: (bound: Bound) => void) {
  const { clock, log } = options
  const routes = routesOf(options)
  const certificate = await orAbort(options.certificate(signal), signal)
  const { callers, limits = defaultLimits } = options
  const connections = new Connections(limits.connections)
  const bodies = new Bodies(limits.bodyBytes, clock)
  using turns = new Turns(clock)
  const ca = callers && (await orAbort(callers.ca(), signal))
  const deps = { routes, bodies, connections, turns, callersMustBeKnown: callers !== undefined, log, signal }
  const listener = await listen({
    address: options.listen,
    certificate,
    connections,
    callers: callers && { ca: ca ?? '', names: callers.names },
    clock,
    log,
    onRequest: (request, response) => void exchange(deps, request, response),
  })
  const bound = boundAt('https', { ...options.listen, port: listener.port })
  log.info({ url: bound.url }, 'serving')
  onListening(bound)
  try {
    await Promise.all([
      aborted(signal),
      keepCertificate(options, certificate, listener.present, signal),
      ...(callers ? [keepCallers(callers, ca, listener.trust, options, signal)] : []),
    ])
  } finally {
    await listener.close()
  }
}

const defaultLimits = { connections: 512, bodyBytes: 64 * 1024 * 1024 }

const lookAgainMs = 60_000

/** Follows the authorities of callers. A file that cannot be read, or is half written, leaves the last good one. */
async function keepCallers(
  { ca }: Callers,
  first: string | undefined,
  trust: (ca: string) => void,
  { clock, log }: Pick<ServeOptions, 'clock' | 'log'>,
  signal: AbortSignal,
): Promise<void> {
  let known = first
  while (!signal.aborted) {
    await sleep(clock, lookAgainMs, signal).catch(() => {})
    if (signal.aborted) return
    try {
      const next = await orAbort(ca(), signal)
      if (next === known) continue
      trust(next)
      known = next
      log.info('other authorities vouch for API servers')
    } catch (error) {
      if (!signal.aborted) log.error({ err: error }, 'the authorities that vouch for API servers cannot be read')
    }
  }
}

function routesOf({ checks = {}, webhooks = [], metrics, convert, clock, log }: ServeOptions): Routes {
  const routes: [string, Route][] = [
    ...healthRoutes(checks, clock),
    ...admissionRoutes(webhooks, { clock, log, metrics: metrics ?? noMetrics }),
  ]
  if (metrics) routes.push(['/metrics', metricsRoute(metrics)])
  if (convert)
    routes.push([
      '/convert',
      { method: 'POST', answer: async (asked) => json(await convert(await readJson(asked), asked.giveWay)) },
    ])
  return new Map(routes)
}

const metricsRoute = (metrics: Metrics): Route => ({
  method: 'GET',
  answer: async () => ({ status: 200, contentType: metrics.contentType, body: await metrics.text() }),
})
