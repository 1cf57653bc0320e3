import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { Clock } from '../../core/clock.ts'
import { aborted } from '../../core/lifecycle.ts'
import type { Log } from '../../core/log.ts'
import type { Metrics } from '../../core/metrics.ts'
import type { Answer } from '../answer.ts'
import { text } from '../answer.ts'
import { failures } from '../failures.ts'
import type { Checks } from '../health.ts'
import { healthRoutes } from '../health.ts'
import type { Address } from '../listener.ts'
import type { Asked } from '../route.ts'
import type { Bound, Server } from '../server.ts'
import { boundAt, serverOf } from '../server.ts'

export interface ProbeServerOptions {
  listen: Address
  clock: Clock
  log: Log
  /** Served at `/healthz`, `/livez` and `/readyz`. */
  checks?: Checks
  /** Served at `/metrics`. */
  metrics?: Metrics
}

/** Plain http for what watches the process, away from the API: it answers while the API is full or stopping. */
export const probeServer = (options: ProbeServerOptions): Server =>
  serverOf((signal, onListening) => runProbes(options, signal, onListening))

async function runProbes(
  { listen, clock, log, checks, metrics }: ProbeServerOptions,
  signal: AbortSignal,
  onListening: (bound: Bound) => void,
) {
  const routes = new Map(checks ? healthRoutes(checks, clock) : [])
  const answer = async (path: string, query: URLSearchParams): Promise<Answer> => {
    if (metrics && path === '/metrics')
      return { status: 200, contentType: metrics.contentType, body: await metrics.text() }
    const route = routes.get(path)
    if (!route) return text(404, 'not found\n')
    const found = await route.answer({ path, query } as Asked)
    // Whoever balances load takes 503 for "not now" and 500 for "broken".
    return found.status === 500 ? { ...found, status: 503 } : found
  }
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const [path = '/', query] = (request.url ?? '/').split('?', 2)
    request.resume()
    void answer(path, new URLSearchParams(query)).then(
      ({ status, contentType, body }) =>
        response.writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store' }).end(body),
      (error: unknown) => {
        log.error({ err: error, path }, 'a probe failed')
        response.writeHead(500).end()
      },
    )
  })
  const port = await new Promise<number>((resolve, reject) => {
    server.once('error', ({ code = 'failed' }: NodeJS.ErrnoException) =>
      reject(failures.SERVER_CANNOT_LISTEN({ ...listen, detail: code })),
    )
    server.listen(listen, () => {
      const bound = server.address()
      resolve(typeof bound === 'object' && bound ? bound.port : listen.port)
    })
  })
  onListening(boundAt('http', { ...listen, port }))
  try {
    await aborted(signal)
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}
