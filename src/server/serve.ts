import type { Clock } from '../core/clock.ts'
import { after } from '../core/clock.ts'
import type { Run } from '../core/lifecycle.ts'
import { aborted, isAbort } from '../core/lifecycle.ts'
import type { Log } from '../core/log.ts'
import type { Metrics } from '../core/metrics.ts'
import { noMetrics } from '../core/metrics.ts'
import type { AdmissionWebhook } from '../fleet/admission.ts'
import { admissionRoutes } from './admission.ts'
import { json } from './answer.ts'
import { exchange } from './exchange.ts'
import type { Checks } from './health.ts'
import { healthRoutes } from './health.ts'
import type { Address, Listener } from './listener.ts'
import { listen } from './listener.ts'
import type { Route, Routes } from './route.ts'
import { readJson } from './route.ts'
import type { CertificateSource, ServingCertificate } from './serving-certificate.ts'

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

export interface Bound {
  /** With the address it listens on, or 127.0.0.1 where that is every address. */
  url: string
  port: number
}

export interface Server {
  /** Once only. Ends within about a second of the abort. */
  readonly run: Run
  /** Rejects when the server cannot be started or is stopped before. */
  readonly listening: Promise<Bound>
}

/** The https server of a process: health, metrics, admission webhooks, conversion. */
export function serve(options: ServeOptions): Server {
  const { promise, resolve, reject } = Promise.withResolvers<Bound>()
  promise.catch(() => {})
  return {
    listening: promise,
    run: async (signal) => {
      try {
        await runServer(options, signal, resolve)
      } catch (error) {
        reject(error)
        if (!isAbort(error, signal)) throw error
      }
    },
  }
}

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
  const { port } = listener
  const url = urlOf({ ...options.listen, port })
  log.info({ url }, 'serving')
  onListening({ url, port })
  try {
    await Promise.all([aborted(signal), keepCertificate(options, listener, certificate, signal)])
  } finally {
    await listener.close()
  }
}

const retryAfterMs = 60_000

/** A certificate that cannot be renewed is no reason to stop: the one in use has a third of its life left. */
async function keepCertificate(
  { certificate, clock, log }: ServeOptions,
  listener: Listener,
  first: ServingCertificate,
  signal: AbortSignal,
): Promise<void> {
  let { certPem, renewAt } = first
  for (;;) {
    try {
      await clock.sleepUntil(renewAt, signal)
      const next = await orAbort(certificate(signal), signal)
      renewAt = next.renewAt
      if (next.certPem === certPem) continue
      listener.present(next)
      certPem = next.certPem
      log.info({ renewAt }, 'serving certificate renewed')
    } catch (error) {
      if (signal.aborted) return
      log.error({ err: error }, 'serving certificate not renewed')
      renewAt = after(clock.now(), retryAfterMs)
    }
  }
}

/** For what may not listen to the signal itself. Leaves no listener: a signal lives as long as the process. */
async function orAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: stopped, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(signal.reason)
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work, stopped])
  } finally {
    signal.removeEventListener('abort', onAbort)
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

const everywhere = ['0.0.0.0', '::', '']

function urlOf({ host, port }: Address): string {
  const reachable = everywhere.includes(host) ? '127.0.0.1' : host
  return `https://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}
