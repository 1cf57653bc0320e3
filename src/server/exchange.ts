import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { Log } from '../core/log.ts'
import type { Answer } from './answer.ts'
import type { Bodies } from './bodies.ts'
import type { Connections } from './connections.ts'
import { peerOf } from './connections.ts'
import type { Asked, Routes } from './route.ts'
import { answerTo } from './route.ts'

export interface ExchangeDeps {
  routes: Routes
  bodies: Bodies
  connections: Connections
  /** Whether the paths for API servers ask for a certificate. */
  callersMustBeKnown: boolean
  log: Log
  /** Of the server as a whole. */
  signal: AbortSignal
}

/** One request and its answer. Neither bodies nor query strings are logged. */
export async function exchange(
  { routes, bodies, connections, callersMustBeKnown, log, signal }: ExchangeDeps,
  request: Http2ServerRequest,
  response: Http2ServerResponse,
): Promise<void> {
  const over = new AbortController()
  const onStop = () => over.abort(signal.reason)
  signal.addEventListener('abort', onStop, { once: true })
  response.once('close', () => over.abort(new Error('the client went away')))
  using body = bodies.of(request)
  using held = new DisposableStack()
  const peer = peerOf(request.socket)
  const isKnownCaller = !callersMustBeKnown || connections.isKnown(peer)
  const readBody = async () => {
    const whole = await body.read()
    held.use(connections.answering(peer))
    return whole
  }
  try {
    const answer = await answerTo(routes, { ...askedBy(request, over.signal), isKnownCaller, readBody }, log)
    send(request, response, answer)
  } catch (error) {
    // Whoever asked went away while the answer was being sent.
    log.debug({ err: error, path: request.url?.split('?')[0] }, 'an answer was not sent')
  } finally {
    signal.removeEventListener('abort', onStop)
  }
}

function askedBy(request: Http2ServerRequest, signal: AbortSignal): Omit<Asked, 'isKnownCaller' | 'readBody'> {
  const [path = '', ...rest] = (request.url ?? '/').split('?')
  return {
    method: request.method ?? 'GET',
    path,
    query: new URLSearchParams(rest.join('?')),
    headers: request.headers,
    signal,
  }
}

function send(request: Http2ServerRequest, response: Http2ServerResponse, answer: Answer): void {
  if (response.writableEnded || response.destroyed || response.stream?.destroyed) return
  const { status, contentType, body, headers } = answer
  response.writeHead(status, {
    'content-type': contentType,
    'content-length': String(Buffer.byteLength(body)),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
  })
  if (request.method === 'HEAD') response.end()
  else response.end(body)
  // What a client still sends is not wanted: its connection must not wait for it.
  if (!request.complete) request.resume()
}
