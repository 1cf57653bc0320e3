import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { TLSSocket } from 'node:tls'
import type { Clock } from '../../core/clock.ts'
import { pieceBytes } from '../../core/pieces.ts'
import type { Audit } from '../audit/audit.ts'
import { auditIdOf } from '../audit/audit.ts'
import type { Answer } from '../requests/answer.ts'
import { isWatchAnswer } from '../requests/answer.ts'
import type { ApiRequest } from '../requests/body.ts'
import { ApiFailure, badRequest, tooLarge } from '../status.ts'
import type { GateDeps, Gated } from './gate.ts'
import { throughGate } from './gate.ts'
import type { Account } from './load.ts'
import { isGone, sendPlain, sendWatch, sendWhole } from './send.ts'

/** Of a request's body, as the real server has it. */
export const maxBodyBytes = 3 * 1024 * 1024

/** A body that comes slower is given up. */
const slowestBytesPerSecond = 16 * 1024
/** Until then it may begin as it likes. */
const paceFromMs = 5_000

/** To take apart more of them takes longer than all else about a request. */
const mostParameters = 1_000

export interface ExchangeDeps extends GateDeps {
  audit?: Audit | undefined
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
  let account: Account | undefined
  const read = readRequest(request, deps.clock, (bytes) => account?.receive(bytes))
  if (!read) return sendPlain(response, 400, '400 Bad Request')
  if (request.httpVersion === '1.1' && request.headers.host === undefined)
    return sendPlain(response, 400, '400 Bad Request: missing required Host header')
  const socket = tlsSocketOf(request)
  const auditId = auditIdOf(read)
  const asked = deps.audit?.follow(read, auditId, socket.remoteAddress) ?? read
  const presented = {
    certificate: peerCertificate(socket),
    authorization: request.headers.authorization,
    address: socket.remoteAddress,
  }
  const startedAt = performance.now()
  const gated = await throughGate(deps, asked, presented, (known) => {
    account = known
  })
  const { answer, warnings } = gated
  const headers = headersOf(answer, warnings, auditId)
  const isLost = isGone(response)
  // Before the answer leaves: what a client knows to be done is in the log, or on its way there.
  if (isLost || !isWatchAnswer(answer)) asked.audit?.completed(answer)
  if (isLost) return gated.held?.[Symbol.dispose]()
  if (isWatchAnswer(answer)) {
    asked.audit?.started()
    sendWatch(deps, answer, headers, response, gated.account, () => {
      gated.held?.[Symbol.dispose]()
      asked.audit?.completed(answer)
      deps.onDone?.(gated, 200, startedAt)
    })
    request.resume()
  } else {
    await sendWhole(deps, answer, headers, request, response, gated.account)
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

/** Undefined for a path that cannot be decoded, and for parameters without end. */
function readRequest(
  request: Http2ServerRequest,
  clock: Clock,
  onBytes: (bytes: number) => void,
): ApiRequest | undefined {
  const url = (request.url ?? '/').replace(/^https?:\/\/[^/]*/, '')
  const mark = url.indexOf('?')
  const path = decodePath(mark < 0 ? url : url.slice(0, mark))
  if (path === undefined || hasMore('&', url, mostParameters)) return undefined
  let body: Promise<Buffer> | undefined
  return {
    method: request.method ?? 'GET',
    uri: url,
    path,
    query: new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1)),
    headers: request.headers,
    rawHeaders: request.rawHeaders,
    readBody: () => (body ??= readBody(request, clock, onBytes)),
  }
}

function decodePath(raw: string): string | undefined {
  try {
    return decodeURIComponent(raw)
  } catch {
    return undefined
  }
}

function hasMore(character: string, text: string, most: number): boolean {
  let at = -1
  for (let count = 0; count <= most; count++) {
    at = text.indexOf(character, at + 1)
    if (at < 0) return false
  }
  return true
}

function readBody(request: Http2ServerRequest, clock: Clock, onBytes: (bytes: number) => void): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? 0)
  if (announced > maxBodyBytes) return Promise.reject(bodyTooLarge())
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    let looking: Disposable | undefined
    const settle = () => {
      looking?.[Symbol.dispose]()
      request.removeAllListeners('data')
    }
    const fail = (error: unknown) => {
      settle()
      request.resume()
      reject(error)
    }
    const lookAfter = (ms: number, passedMs: number) => {
      looking = clock.countdown(ms, () => {
        const sincePassedMs = passedMs + ms
        if (size < (slowestBytesPerSecond * sincePassedMs) / 1_000)
          fail(new ApiFailure(408, 'Timeout', 'the body did not arrive in time'))
        else lookAfter(1_000, sincePassedMs)
      })
    }
    lookAfter(paceFromMs, 0)
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > maxBodyBytes) return fail(bodyTooLarge())
      try {
        onBytes(chunk.length + pieceBytes)
        chunks.push(chunk)
      } catch (error) {
        fail(error)
      }
    })
    request.once('end', () => {
      settle()
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
