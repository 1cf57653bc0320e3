import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { TLSSocket } from 'node:tls'
import type { Clock } from '../../core/clock.ts'
import type { Audit } from '../audit/audit.ts'
import { auditIdOf } from '../audit/audit.ts'
import type { Answer } from '../requests/answer.ts'
import { isWatchAnswer } from '../requests/answer.ts'
import type { ApiRequest } from '../requests/body.ts'
import { ApiFailure, badRequest, tooLarge } from '../status.ts'
import type { GateDeps, Gated } from './gate.ts'
import { throughGate } from './gate.ts'
import type { Load } from './load.ts'
import { isGone, sendPlain, sendWatch, sendWhole } from './send.ts'

/** Of a request's body, as the real server has it. */
export const maxBodyBytes = 3 * 1024 * 1024

/** A body that takes longer to arrive is given up. */
const bodyWithinMs = 60_000

export interface ExchangeDeps extends GateDeps {
  clock: Clock
  audit?: Audit | undefined
  load: Load
  /** Those that are open, for whoever has to end them. */
  watches: Set<Disposable>
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
  using _answering = deps.load.answering()
  const gated = await throughGate(deps, asked, presented)
  const { answer, warnings } = gated
  const headers = headersOf(answer, warnings, auditId)
  const isLost = isGone(response)
  // Before the answer leaves: what a client knows to be done is in the log, or on its way there.
  if (isLost || !isWatchAnswer(answer)) asked.audit?.completed(answer)
  if (isLost) return
  if (isWatchAnswer(answer)) {
    asked.audit?.started()
    sendWatch(deps, answer, headers, response, () => {
      asked.audit?.completed(answer)
      deps.onDone?.(gated, 200, startedAt)
    })
    request.resume()
  } else {
    await sendWhole(deps, answer, headers, request, response)
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
    ...(answer.contentType !== '' && { 'content-type': answer.contentType }),
    ...(!isWatchAnswer(answer) && answer.headers),
    ...(warnings.length > 0 && { warning: warnings.map((text) => `299 - ${quoted(text)}`) }),
  }
}

/** A header holds one line of printable text: as bytes of UTF-8, as the real server sends it. */
const quoted = (text: string): string => {
  const line = text
    .replace(/[\\"]/g, '\\$&')
    .replace(/\p{Cc}/gu, (control) => `\\x${control.charCodeAt(0).toString(16).padStart(2, '0')}`)
  return `"${Buffer.from(line).toString('latin1')}"`
}
