import type { Server as HttpServer, IncomingMessage } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { aborted } from '../../core/lifecycle.ts'
import { failures } from '../failures.ts'
import { keepCertificate } from '../keep-certificate.ts'
import type { Address } from '../listener.ts'
import type { Bound, Server } from '../server.ts'
import { boundAt, serverOf } from '../server.ts'
import type { CertificateSource, ServingCertificate } from '../serving-certificate.ts'
import type { RestAppOptions } from './app.ts'
import { restApp } from './app.ts'

export interface RestServerOptions extends Omit<RestAppOptions, 'tls'> {
  listen: Address
  /** Absent: plain http, for behind something that speaks TLS. */
  certificate?: CertificateSource
  /** For answers under way when it is told to stop. Default 15 s. */
  drainMs?: number
}

/** Listens until the signal aborts; then takes no new connections, and lets what is under way end. */
export const restServer = (options: RestServerOptions): Server =>
  serverOf((signal, onListening) => runServer(options, signal, onListening))

async function runServer(options: RestServerOptions, signal: AbortSignal, onListening: (bound: Bound) => void) {
  const { listen, certificate, clock, log, drainMs = 15_000 } = options
  const first = await certificate?.(signal)
  const app = await restApp({ ...options, ...(first && { tls: first }) })
  signal.throwIfAborted()
  const unused = unusedConnections(app.server, first ? 'secureConnection' : 'connection')
  const bound = await bind(app, listen, first ? 'https' : 'http')
  log.info({ url: bound.url }, 'serving')
  onListening(bound)
  try {
    const present = ({ certPem, keyPem }: ServingCertificate) =>
      (app.server as unknown as HttpsServer).setSecureContext({ cert: certPem, key: keyPem.reveal() })
    const renewing = first && certificate && keepCertificate({ certificate, clock, log }, first, present, signal)
    await Promise.all([aborted(signal), renewing])
  } finally {
    using _force = clock.countdown(drainMs, () => app.server.closeAllConnections())
    const closed = app.close()
    for (const socket of unused) socket.destroy()
    await closed
  }
}

/** Those on which nobody has asked anything yet, as clients open them in advance: Node takes them for busy and would wait. */
function unusedConnections(server: HttpServer, opened: 'connection' | 'secureConnection'): ReadonlySet<Socket> {
  const unused = new Set<Socket>()
  server.on(opened, (socket: Socket) => {
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  server.on('request', ({ socket }: IncomingMessage) => unused.delete(socket))
  return unused
}

async function bind(app: FastifyInstance, { host, port }: Address, scheme: 'http' | 'https'): Promise<Bound> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    const { code = 'failed' } = error as NodeJS.ErrnoException
    throw failures.SERVER_CANNOT_LISTEN({ host, port, detail: code })
  }
  const address = app.server.address()
  return boundAt(scheme, { host, port: typeof address === 'object' && address ? address.port : port })
}
