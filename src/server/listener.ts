import { constants } from 'node:crypto'
import type { Http2SecureServer, Http2ServerRequest, Http2ServerResponse, ServerHttp2Session } from 'node:http2'
import { createSecureServer } from 'node:http2'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import type { Clock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import type { CertifiedKey } from '../pki/index.ts'
import type { Callers } from './callers.ts'
import { isKnownCaller } from './callers.ts'
import type { Connections } from './connections.ts'
import { peerOf } from './connections.ts'
import { failures } from './failures.ts'

export interface Address {
  host: string
  /** 0 for any that is free. */
  port: number
}

export interface ListenOptions {
  address: Address
  certificate: CertifiedKey
  connections: Connections
  /** PEM of the authorities whose client certificates count. A connection needs none; a path may. */
  callers?: { readonly ca: string; readonly names: Callers['names'] } | undefined
  clock: Clock
  log: Log
  onRequest(request: Http2ServerRequest, response: Http2ServerResponse): void
}

export interface Listener {
  readonly port: number
  /** For connections from now on; those that are open keep what they have. */
  present(certificate: CertifiedKey): void
  /** PEM of who issues client certificates, for connections from now on. */
  trust(ca: string): void
  /** Takes no more requests, and gives answers under way a second. */
  close(): Promise<void>
}

const graceMs = 1_000
/** A connection that was silent for so long is asked whether there is still somebody. */
const keepAliveAfterMs = 60_000
const maxHeaderBytes = 64 * 1024

/** https by HTTP/2 or HTTP/1.1, whichever the client prefers: API servers call webhooks by either. */
export async function listen({
  address,
  certificate,
  connections,
  callers,
  clock,
  log,
  onRequest,
}: ListenOptions): Promise<Listener> {
  let [shown, ca] = [certificate, callers?.ca]
  const context = () => ({ cert: shown.certPem, key: shown.keyPem.reveal(), ...(ca !== undefined && { ca }) })
  const server = createSecureServer(
    {
      allowHTTP1: true,
      minVersion: 'TLSv1.2',
      ...context(),
      // A session that is taken up again would be as trusted as it was, whatever has changed since.
      ...(callers && { requestCert: true, rejectUnauthorized: false, secureOptions: constants.SSL_OP_NO_TICKET }),
      settings: { maxConcurrentStreams: 250, maxHeaderListSize: maxHeaderBytes },
      maxHeaderSize: maxHeaderBytes,
      keepAlive: true,
      keepAliveInitialDelay: keepAliveAfterMs,
      handshakeTimeout: 10_000,
      headersTimeout: 10_000,
    } as Parameters<typeof createSecureServer>[0],
    onRequest,
  )
  const sessions = new Set<ServerHttp2Session>()
  server.on('session', (session) => {
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
    session.on('error', (error) => log.debug({ err: error }, 'a connection failed'))
  })
  // Those that have not shaken hands as well, or they would hold up the end.
  server.on('connection', (socket: Socket) => connections.add(socket))
  if (callers)
    server.on('secureConnection', (socket: TLSSocket) => {
      if (isKnownCaller(socket, callers)) connections.know(peerOf(socket))
    })
  // Whoever asks for a tunnel through us is not answered at all.
  server.on('connect', (_request: unknown, socket: Duplex) => void socket.destroy())
  server.on('clientError', (_error, socket: Duplex) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')
  })
  server.on('tlsClientError', (error) => log.debug({ err: error }, 'a TLS handshake failed'))
  server.on('sessionError', (error) => log.debug({ err: error }, 'a connection failed'))
  const port = await bind(server, address)
  return {
    port,
    present(renewed) {
      shown = renewed
      server.setSecureContext(context())
    },
    trust(renewed) {
      ca = renewed
      server.setSecureContext(context())
    },
    close: () => shutDown(server, sessions, connections, clock),
  }
}

const bind = (server: Http2SecureServer, { host, port }: Address): Promise<number> =>
  new Promise((resolve, reject) => {
    const refuse = ({ code, message }: NodeJS.ErrnoException) =>
      reject(failures.SERVER_CANNOT_LISTEN({ host, port, detail: code ?? message }))
    server.once('error', refuse)
    server.listen({ host, port }, () => {
      server.removeListener('error', refuse)
      const bound = server.address()
      resolve(typeof bound === 'object' && bound ? bound.port : port)
    })
  })

async function shutDown(
  server: Http2SecureServer,
  sessions: ReadonlySet<ServerHttp2Session>,
  connections: Connections,
  clock: Clock,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  for (const session of sessions) session.close()
  using _force = clock.countdown(graceMs, () => {
    for (const session of sessions) session.destroy()
    connections.destroyAll()
  })
  await closed
}
