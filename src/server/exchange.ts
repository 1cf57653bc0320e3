import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { Clock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import type { Answer } from './answer.ts'
import { readBody } from './body.ts'
import type { Asked, Routes } from './route.ts'
import { answerTo } from './route.ts'

export interface ExchangeDeps {
  routes: Routes
  clock: Clock
  log: Log
  /** Of the server as a whole. */
  signal: AbortSignal
}

/** One request and its answer. Neither bodies nor query strings are logged. */
export async function exchange(
  { routes, clock, log, signal }: ExchangeDeps,
  request: Http2ServerRequest,
  response: Http2ServerResponse,
): Promise<void> {
  const over = new AbortController()
  const onStop = () => over.abort(signal.reason)
  signal.addEventListener('abort', onStop, { once: true })
  response.once('close', () => over.abort(new Error('the client went away')))
  try {
    const answer = await answerTo(routes, askedBy(request, clock, over.signal), log)
    send(request, response, answer)
  } catch (error) {
    // Whoever asked went away while the answer was being sent.
    log.debug({ err: error, path: request.url?.split('?')[0] }, 'an answer was not sent')
  } finally {
    signal.removeEventListener('abort', onStop)
  }
}

function askedBy(request: Http2ServerRequest, clock: Clock, signal: AbortSignal): Asked {
  const [path = '', ...rest] = (request.url ?? '/').split('?')
  return {
    method: request.method ?? 'GET',
    path,
    query: new URLSearchParams(rest.join('?')),
    headers: request.headers,
    readBody: () => readBody(request, clock),
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
