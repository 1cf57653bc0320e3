import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { TLSSocket } from 'node:tls'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Clock } from '../../core/clock.ts'
import type { Audit } from '../audit/audit.ts'
import { auditIdOf } from '../audit/audit.ts'
import type { Answer, WatchAnswer, WholeAnswer } from '../requests/answer.ts'
import { isWatchAnswer } from '../requests/answer.ts'
import type { ApiRequest } from '../requests/body.ts'
import { ApiFailure, badRequest, tooLarge } from '../status.ts'
import type { Watch } from '../watch/watch.ts'
import type { GateDeps, Gated } from './gate.ts'
import { throughGate } from './gate.ts'

/** Of a request's body, as the real server has it. */
export const maxBodyBytes = 3 * 1024 * 1024

/** A body that takes longer to arrive is given up. */
const bodyWithinMs = 60_000

/** What a watcher may leave unread before it is told nothing more for the time being. */
const maxUnreadBytes = 1024 * 1024

/** Bodies from this size on are packed for clients that can unpack them. */
const gzipFromBytes = 128 * 1024

const packed = promisify(gzip)

export interface ExchangeDeps extends GateDeps {
  clock: Clock
  audit?: Audit | undefined
  /** Told when a request has been answered, or its watch is over. */
  onDone?(gated: Gated, code: number, startedAt: number): void
}

export async function exchange(
  deps: ExchangeDeps,
  request: Http2ServerRequest,
  response: Http2ServerResponse,
): Promise<void> {
  const read = readRequest(request, deps.clock)
  if (!read) return sendPlain(response, 400, '400 Bad Request')
  if (request.httpVersion === '1.1' && request.headers.host === undefined)
    return sendPlain(response, 400, '400 Bad Request: missing required Host header')
  const socket = tlsSocketOf(request)
  const auditId = auditIdOf(read)
  const asked = deps.audit?.follow(read, auditId, socket.remoteAddress) ?? read
  const presented = {
    certificate: peerCertificate(socket),
    authorization: request.headers.authorization,
  }
  const startedAt = performance.now()
  const gated = await throughGate(deps, asked, presented)
  const { answer, warnings } = gated
  const headers = headersOf(answer, warnings, auditId)
  const isGone = response.destroyed || response.writableEnded
  // Before the answer leaves: what a client knows to be done is in the log, or on its way there.
  if (isGone || !isWatchAnswer(answer)) asked.audit?.completed(answer)
  if (isGone) return
  if (isWatchAnswer(answer)) {
    asked.audit?.started()
    sendWatch(answer, headers, request, response, () => {
      asked.audit?.completed(answer)
      deps.onDone?.(gated, 200, startedAt)
    })
  } else {
    await sendWhole(answer, headers, request, response)
    deps.onDone?.(gated, answer.code, startedAt)
  }
}

/** HTTP/2 shows a stand-in for the socket that hides what is needed here. */
const tlsSocketOf = (request: Http2ServerRequest): TLSSocket =>
  (request.stream?.session?.socket ?? request.socket) as TLSSocket

const certificates = new WeakMap<TLSSocket, { der: Buffer | undefined }>()

function peerCertificate(socket: TLSSocket): Buffer | undefined {
  const known = certificates.get(socket)
  if (known) return known.der
  const der = socket.getPeerX509Certificate?.()?.raw
  certificates.set(socket, { der })
  return der
}

/** Undefined for a path that cannot be decoded. */
function readRequest(request: Http2ServerRequest, clock: Clock): ApiRequest | undefined {
  const url = (request.url ?? '/').replace(/^https?:\/\/[^/]*/, '')
  const mark = url.indexOf('?')
  const path = decodePath(mark < 0 ? url : url.slice(0, mark))
  if (path === undefined) return undefined
  let body: Promise<Buffer> | undefined
  return {
    method: request.method ?? 'GET',
    uri: url,
    path,
    query: new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1)),
    headers: request.headers,
    rawHeaders: request.rawHeaders,
    readBody: () => (body ??= readBody(request, clock)),
  }
}

function decodePath(raw: string): string | undefined {
  try {
    return decodeURIComponent(raw)
  } catch {
    return undefined
  }
}

function sendPlain(response: Http2ServerResponse, code: number, body: string): void {
  response.writeHead(code, { 'content-type': 'text/plain; charset=utf-8', 'content-length': String(body.length) })
  response.end(body)
}

function readBody(request: Http2ServerRequest, clock: Clock): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? 0)
  if (announced > maxBodyBytes) return Promise.reject(bodyTooLarge())
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const late = clock.countdown(bodyWithinMs, () =>
      fail(new ApiFailure(408, 'Timeout', 'the body did not arrive in time')),
    )
    const fail = (error: unknown) => {
      late[Symbol.dispose]()
      request.removeAllListeners('data')
      request.resume()
      reject(error)
    }
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > maxBodyBytes) fail(bodyTooLarge())
      else chunks.push(chunk)
    })
    request.once('end', () => {
      late[Symbol.dispose]()
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks))
    })
    request.once('error', fail)
    request.once('aborted', () => fail(badRequest('the body ended before its end')))
  })
}

const bodyTooLarge = () => tooLarge(`Request entity too large: limit is ${maxBodyBytes}`)

function headersOf(answer: Answer, warnings: readonly string[], auditId: string): Record<string, string | string[]> {
  return {
    'audit-id': auditId,
    'cache-control': 'no-cache, private',
    'content-type': answer.contentType,
    ...(!isWatchAnswer(answer) && answer.headers),
    ...(warnings.length > 0 && { warning: warnings.map((text) => `299 - ${quoted(text)}`) }),
  }
}

/** A header holds one line of printable text: as bytes of UTF-8, as the real server sends it. */
const quoted = (text: string): string => {
  const line = text.replace(/[\\"]/g, '\\$&').replace(/\p{Cc}/gu, (control) => `\\x${control.charCodeAt(0).toString(16).padStart(2, '0')}`)
  return `"${Buffer.from(line).toString('latin1')}"`
}

async function sendWhole(
  { code, body }: WholeAnswer,
  headers: Record<string, string | string[]>,
  request: Http2ServerRequest,
  response: Http2ServerResponse,
): Promise<void> {
  let bytes = Buffer.from(body)
  if (bytes.length >= gzipFromBytes && /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))) {
    bytes = await packed(bytes, { level: 1 })
    headers['content-encoding'] = 'gzip'
    headers['vary'] = 'Accept-Encoding'
  }
  if (response.destroyed) return
  response.writeHead(code, { ...headers, 'content-length': String(bytes.length) })
  if (request.method === 'HEAD') response.end()
  else response.end(bytes)
  // What a client still sends is not wanted: its connection must not wait for it.
  if (!request.complete) request.resume()
}

function sendWatch(
  answer: WatchAnswer,
  headers: Record<string, string | string[]>,
  request: Http2ServerRequest,
  response: Http2ServerResponse,
  onDone: () => void,
): void {
  response.writeHead(200, headers)
  // Clients wait for the headers of a watch; there may be no event for a long time.
  ;(response as unknown as { flushHeaders(): void }).flushHeaders()
  let watch: Watch | undefined
  /** A conversion webhook is asked about the last line: those behind it wait for it, whatever room there is. */
  let isConverting = false
  const write = (bytes: Buffer): boolean => {
    if (response.destroyed || response.writableEnded) return false
    response.write(bytes)
    return unread(response) < maxUnreadBytes
  }
  watch = answer.open({
    take(frame) {
      const bytes = answer.writeFrame(frame)
      if (Buffer.isBuffer(bytes)) return write(bytes)
      isConverting = true
      bytes.then(
        (converted) => {
          isConverting = false
          if (write(converted)) watch?.resume()
        },
        () => watch?.[Symbol.dispose](),
      )
      return false
    },
    end() {
      response.end()
    },
  })
  response.on('drain', () => {
    if (!isConverting) watch?.resume()
  })
  response.once('close', () => {
    watch?.[Symbol.dispose]()
    onDone()
  })
  request.resume()
}

const unread = (response: Http2ServerResponse): number =>
  response.stream?.writableLength ?? response.writableLength ?? 0
