import { constants } from 'node:crypto'
import type { Http2SecureServer, Http2ServerRequest, Http2ServerResponse, ServerHttp2Session } from 'node:http2'
import { createSecureServer } from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Clock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import { Shares } from '../shares.ts'
import { methodNotAllowed } from '../status.ts'

export interface ListenOptions {
  host: string
  /** 0 for any that is free. */
  port: number
  certPem: string
  keyPem: string
  /** Who vouches for client certificates: told to clients, which choose theirs by it. */
  clientCaPem: string
  clock: Clock
  log: Log
  onRequest(request: Http2ServerRequest, response: Http2ServerResponse): void
  /** No more requests come from now on. Ends what would go on without end. */
  onClose?(): void
}

export interface Listener extends AsyncDisposable {
  readonly port: number
  /** Takes no more requests; answers under way are finished, watches end. */
  close(): Promise<void>
}

/** As the real server has it; a client that wants more opens another connection. */
const maxStreamsPerConnection = 100

/** Of all clients; of one address beside others, its share. Nobody knows yet who they are. */
const mostConnections = 10_000

const maxHeaderBytes = 1024 * 1024

/** A connection that was silent for so long is asked whether there is still somebody. */
const keepAliveAfterMs = 60_000

/** How long answers under way may take once the server is told to stop. */
const graceMs = 1_000

export async function listen(options: ListenOptions): Promise<Listener> {
  const { certPem, keyPem, clientCaPem, log, onRequest } = options
  /** Of connections over HTTP/1.1, which answer one request at a time. */
  const underWay = new WeakMap<Duplex, Http2ServerResponse>()
  const server = createSecureServer(
    {
      allowHTTP1: true,
      cert: certPem,
      key: keyPem,
      ca: clientCaPem,
      requestCert: true,
      // Who it is, the authenticator says: a stranger may still ask for /version.
      rejectUnauthorized: false,
      minVersion: 'TLSv1.2',
      // A resumed session would not show the client's certificate.
      secureOptions: constants.SSL_OP_NO_TICKET,
      settings: { maxConcurrentStreams: maxStreamsPerConnection, maxHeaderListSize: maxHeaderBytes },
      maxSessionMemory: 100,
      // As much as the real server takes, over either protocol.
      maxHeaderSize: maxHeaderBytes,
      maxHeaderListPairs: 2_000,
      // Answered by the exchange, in the words of the real server.
      requireHostHeader: false,
      // A client that vanished without a word would be waited for without end.
      keepAlive: true,
      keepAliveInitialDelay: keepAliveAfterMs,
      // As the real server: for the handshake, and for what is sent after it.
      handshakeTimeout: 32_000,
      headersTimeout: 32_000,
      // As long as the real server: a client that asks now and then need not connect each time.
      keepAliveTimeout: 90_000,
      requestTimeout: 0,
    } as Parameters<typeof createSecureServer>[0],
    (request, response) => {
      if (request.httpVersionMajor === 1) {
        underWay.set(request.socket, response)
        response.once('close', () => underWay.delete(request.socket))
      }
      onRequest(request, response)
    },
  )
  const connections = new Shares(mostConnections)
  server.on('connection', (socket: Socket) => {
    try {
      const one = connections.take(socket.remoteAddress ?? '')
      socket.once('close', () => one[Symbol.dispose]())
    } catch {
      socket.destroy()
    }
  })
  const sessions = new Set<ServerHttp2Session>()
  const sockets = new Set<Socket>()
  server.on('session', (session) => {
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
    session.on('error', (error) => log.debug({ err: error }, 'a connection failed'))
  })
  server.on('secureConnection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('connect', (_request: unknown, socket: Duplex | Http2ServerResponse) => {
    const body = `${JSON.stringify(methodNotAllowed().toStatus())}\n`
    // Over HTTP/2 there is a response to be given, and no connection to be taken.
    if ('writeHead' in socket) return void socket.writeHead(405, { 'content-type': 'application/json' }).end(body)
    socket.end(
      `HTTP/1.1 405 Method Not Allowed\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
    )
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    // Bytes that are no request may follow one that is: its answer comes first.
    const answering = underWay.get(socket)
    if (answering) return void answering.once('close', () => socket.destroy())
    if (!socket.writable) return
    const status = error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request'
    socket.end(`HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${status}`)
  })
  server.on('tlsClientError', (error) => log.debug({ err: error }, 'a TLS handshake failed'))
  server.on('sessionError', (error) => log.debug({ err: error }, 'a connection failed'))
  await listening(server, options)
  const { port } = server.address() as AddressInfo
  let closed: Promise<void> | undefined
  const close = () => (closed ??= shutDown(server, sessions, sockets, options))
  return { port, close, [Symbol.asyncDispose]: close }
}

const listening = (server: Http2SecureServer, { host, port }: ListenOptions): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port, backlog: 1024 }, () => {
      server.removeListener('error', reject)
      resolve()
    })
  })

async function shutDown(
  server: Http2SecureServer,
  sessions: Set<ServerHttp2Session>,
  sockets: Set<Socket>,
  { clock, onClose }: ListenOptions,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  for (const session of sessions) session.close()
  onClose?.()
  using _force = clock.countdown(graceMs, () => {
    for (const session of sessions) session.destroy()
    for (const socket of sockets) socket.destroy()
  })
  await closed
}
