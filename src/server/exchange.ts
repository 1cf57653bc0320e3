import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { Log } from '../core/log.ts'
import type { Answer } from './answer.ts'
import type { Bodies } from './bodies.ts'
import type { Connections } from './connections.ts'
import { peerOf } from './connections.ts'
import type { Asked, Routes } from './route.ts'
import { answerTo } from './route.ts'
import type { Turns } from './turns.ts'

export interface ExchangeDeps {
  routes: Routes
  bodies: Bodies
  connections: Connections
  turns: Turns
  /** Whether the paths for API servers ask for a certificate. */
  callersMustBeKnown: boolean
  log: Log
  /** Of the server as a whole. */
  signal: AbortSignal
}

/** One request and its answer. Neither bodies nor query strings are logged. */
export async function exchange(
  { routes, bodies, connections, turns, callersMustBeKnown, log, signal }: ExchangeDeps,
  request: Http2ServerRequest,
  response: Http2ServerResponse,
): Promise<void> {
  const over = new AbortController()
  const onStop = () => over.abort(signal.reason)
  signal.addEventListener('abort', onStop, { once: true })
  response.once('close', () => over.abort(new Error('the client went away')))
  using body = bodies.of(request)
  let turn: DisposableStack | undefined
  using _turn = { [Symbol.dispose]: () => turn?.dispose() }
  const peer = peerOf(request.socket)
  const isKnownCaller = !callersMustBeKnown || connections.isKnown(peer)
  const takeTurn = async (bytes: number) => {
    if (connections.isKnown(peer)) return
    using _waiting = body.waiting((error) => over.abort(error))
    const taken = await turns.take(bytes, over.signal)
    turn = new DisposableStack()
    turn.use(taken)
    turn.use(connections.answering(peer))
  }
  let bytes = 0
  const readBody = async () => {
    const whole = await body.read()
    bytes = whole.length
    await takeTurn(bytes)
    return whole
  }
  const giveWay = async () => {
    turn?.dispose()
    await new Promise((resolve) => setImmediate(resolve))
    await takeTurn(bytes)
  }
  try {
    const answer = await answerTo(routes, { ...askedBy(request, over.signal), isKnownCaller, readBody, giveWay }, log)
    send(request, response, answer)
  } catch (error) {
    // Whoever asked went away while the answer was being sent.
    log.debug({ err: error, path: request.url?.split('?')[0] }, 'an answer was not sent')
  } finally {
    signal.removeEventListener('abort', onStop)
  }
}

function askedBy(
  request: Http2ServerRequest,
  signal: AbortSignal,
): Omit<Asked, 'isKnownCaller' | 'readBody' | 'giveWay'> {
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
