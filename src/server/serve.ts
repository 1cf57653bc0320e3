import type { Clock } from '../core/clock.ts'
import { aborted } from '../core/lifecycle.ts'
import type { Log } from '../core/log.ts'
import type { Metrics } from '../core/metrics.ts'
import { noMetrics } from '../core/metrics.ts'
import type { AdmissionWebhook } from '../fleet/admission.ts'
import { admissionRoutes } from './admission.ts'
import { json } from './answer.ts'
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

export interface ServeOptions {
  listen: Address
  certificate: CertificateSource
  clock: Clock
  log: Log
  /** Served at `/metrics` when given. */
  metrics?: Metrics
  checks?: Checks
  webhooks?: readonly AdmissionWebhook[]
  /** A ConversionReview in, the same with its response out; served at `/convert` when given. */
  convert?: (review: unknown) => unknown
}

/** The https server of a process: health, metrics, admission webhooks, conversion. Ends within about a second of the abort. */
export const serve = (options: ServeOptions): Server =>
  serverOf((signal, onListening) => runServer(options, signal, onListening))

async function runServer(options: ServeOptions, signal: AbortSignal, onListening: (bound: Bound) => void) {
  const { clock, log } = options
  const routes = routesOf(options)
  const certificate = await orAbort(options.certificate(signal), signal)
  const listener = await listen({
    address: options.listen,
    certificate,
    clock,
    log,
    onRequest: (request, response) => void exchange({ routes, clock, log, signal }, request, response),
  })
  const bound = boundAt('https', { ...options.listen, port: listener.port })
  log.info({ url: bound.url }, 'serving')
  onListening(bound)
  try {
    await Promise.all([aborted(signal), keepCertificate(options, certificate, listener.present, signal)])
  } finally {
    await listener.close()
  }
}

function routesOf({ checks = {}, webhooks = [], metrics, convert, clock, log }: ServeOptions): Routes {
  const routes: [string, Route][] = [
    ...healthRoutes(checks, clock),
    ...admissionRoutes(webhooks, { clock, log, metrics: metrics ?? noMetrics }),
  ]
  if (metrics) routes.push(['/metrics', metricsRoute(metrics)])
  if (convert)
    routes.push(['/convert', { method: 'POST', answer: async (asked) => json(convert(await readJson(asked))) }])
  return new Map(routes)
}

const metricsRoute = (metrics: Metrics): Route => ({
  method: 'GET',
  answer: async () => ({ status: 200, contentType: metrics.contentType, body: await metrics.text() }),
})
