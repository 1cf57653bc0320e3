import type { Server as HttpsServer } from 'node:https'
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
import { ConnectionLimits } from './connection-limits.ts'
import { Connections } from './connections.ts'
import { leaveUnread } from './unread-body.ts'

export interface RestServerOptions extends Omit<RestAppOptions, 'tls' | 'claim'> {
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
  const limits = new ConnectionLimits({ clock, isProxy: options.isProxy ?? (() => false) })
  const app = await restApp({ ...options, claim: limits.claim, ...(first && { tls: first }) })
  signal.throwIfAborted()
  limits.guard(app.server)
  const connections = new Connections(app.server)
  leaveUnread(app.server, clock)
  const bound = await bind(app, listen, first ? 'https' : 'http')
  log.info({ url: bound.url }, 'serving')
  onListening(bound)
  try {
    const present = ({ certPem, keyPem }: ServingCertificate) =>
      (app.server as unknown as HttpsServer).setSecureContext({ cert: certPem, key: keyPem.reveal() })
    const renewing = first && certificate && keepCertificate({ certificate, clock, log }, first, present, signal)
    await Promise.all([aborted(signal), renewing])
  } finally {
    using _force = clock.countdown(drainMs, () => connections.endAll())
    const closed = app.close()
    connections.endUnused()
    await closed
  }
}

/**
 * Connections that come before they can be taken: Node has 511. Of more the system drops the first packet, and whoever
 * sent it waits a second, or three, to send it again: as long as an API server waits for an answer.
 */
const backlog = 4_096

async function bind(app: FastifyInstance, { host, port }: Address, scheme: 'http' | 'https'): Promise<Bound> {
  try {
    await app.listen({ host, port, backlog })
  } catch (error) {
    const { code = 'failed' } = error as NodeJS.ErrnoException
    throw failures.SERVER_CANNOT_LISTEN({ host, port, detail: code })
  }
  const address = app.server.address()
  return boundAt(scheme, { host, port: typeof address === 'object' && address ? address.port : port })
}
