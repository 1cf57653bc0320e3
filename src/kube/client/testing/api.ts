import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse, ServerHttp2Session } from 'node:http2'
import { createSecureServer } from 'node:http2'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo, Server, Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { TestScope } from '../../../../test/support/test-scope.ts'
import { systemClock } from '../../../core/clock.ts'
import { systemRandom } from '../../../core/random.ts'
import type { Sans } from '../../../pki/index.ts'
import type { Connection } from '../../connection.ts'
import type { ClientDeps, KubeClient } from '../client.ts'
import { connect } from '../client.ts'
import type { TestAuthority } from './certificates.ts'
import { testAuthority } from './certificates.ts'

/** One request as the server sees it, and the ways to answer it. */
export interface Asked {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Record<string, string | string[] | undefined>
  readonly body: string
  /** Common name of the client's certificate. */
  readonly user: string | undefined
  /** Counts connections from 0, in the order of their first request. */
  readonly connection: number
  readonly session: ServerHttp2Session | undefined
  readonly res: ServerResponse
  json(status: number, body: unknown, headers?: Record<string, string>): void
  status(code: number, reason: string, headers?: Record<string, string>): void
  /** Opens a watch and returns how to send events on it. */
  watch(): { send(event: unknown): void; raw(text: string | Buffer): boolean; end(): void }
  /** Resolves when the client has gone away from this request. */
  readonly gone: Promise<void>
}

export type Handler = (asked: Asked) => void | Promise<void>

export interface TestApi {
  readonly url: string
  readonly authority: TestAuthority
  readonly asked: Asked[]
  readonly sessions: Set<ServerHttp2Session>
  /** Connections accepted so far. */
  readonly accepted: Socket[]
  readonly connection: Connection
  /** A client of this server, closed with the test. */
  client(deps?: Partial<ClientDeps>, connection?: Partial<Connection>): KubeClient
}

export interface ApiOptions {
  maxConcurrentStreams?: number
  /** Speak HTTP/1.1 only. */
  http1?: boolean
  sans?: Partial<Sans>
  authority?: TestAuthority
}

export async function startApi(t: TestScope, handler: Handler, options: ApiOptions = {}): Promise<TestApi> {
  const authority = options.authority ?? (await testAuthority())
  const { certPem, keyPem } = await authority.server(options.sans)
  const tls = { cert: certPem, key: keyPem.reveal(), ca: authority.caPem, requestCert: true, rejectUnauthorized: false }
  const { maxConcurrentStreams = 250 } = options
  const server: Server = options.http1
    ? createHttpsServer(tls)
    : createSecureServer({ ...tls, settings: { maxConcurrentStreams } })
  const asked: Asked[] = []
  const accepted: Socket[] = []
  const sessions = new Set<ServerHttp2Session>()
  const connections: Socket[] = []
  server.on('connection', (socket: Socket) => accepted.push(socket))
  server.on('session', (session: ServerHttp2Session) => {
    sessions.add(session)
    session.on('close', () => sessions.delete(session))
    session.on('error', () => {})
  })
  server.on('request', async (req: Http2ServerRequest & IncomingMessage, res: Http2ServerResponse & ServerResponse) => {
    const one = await readRequest(req, res, connections)
    asked.push(one)
    await handler(one)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(async () => {
    for (const socket of accepted) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const connection: Connection = { server: url, tls: { ca: authority.caPem } }
  return {
    url,
    authority,
    asked,
    sessions,
    accepted,
    connection,
    client: (deps = {}, changes = {}) => {
      const client = connect({ ...connection, ...changes }, { clock: systemClock, random: systemRandom, ...deps })
      t.after(() => client.close())
      return client
    },
  }
}

async function readRequest(
  req: Http2ServerRequest & IncomingMessage,
  res: Http2ServerResponse & ServerResponse,
  connections: Socket[],
): Promise<Asked> {
  const session = req.stream?.session as ServerHttp2Session | undefined
  const socket = (session ? session.socket : req.socket) as TLSSocket
  const url = new URL(req.url, 'https://x')
  const key = socket.remotePort as unknown as Socket
  if (!connections.includes(key)) connections.push(key)
  const subject = socket.getPeerCertificate?.()?.subject
  const gone = new Promise<void>((resolve) => res.once('close', () => resolve()))
  res.on('error', () => {})
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk as Buffer)
  const json = (status: number, body: unknown, headers: Record<string, string> = {}) => {
    res.writeHead(status, { 'content-type': 'application/json', ...headers })
    res.end(JSON.stringify(body))
  }
  return {
    method: req.method,
    path: url.pathname,
    query: url.searchParams,
    headers: req.headers,
    body: Buffer.concat(chunks).toString(),
    user: typeof subject?.CN === 'string' ? subject.CN : undefined,
    connection: connections.indexOf(key),
    session,
    res,
    gone,
    json,
    status: (code, reason, headers) =>
      json(code, { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message: `${reason}!` }, headers),
    watch: () => {
      res.writeHead(200, { 'content-type': 'application/json' })
      res.flushHeaders?.()
      const raw = (text: string | Buffer): boolean => res.write(text)
      return { raw, send: (event) => raw(`${JSON.stringify(event)}\n`), end: () => res.end() }
    },
  }
}
