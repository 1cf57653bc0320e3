import type { Agent, ClientRequest, IncomingMessage } from 'node:http'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Socket } from 'node:net'
import type { Clock } from '../../../core/clock.ts'
import type { Answer } from './answer.ts'
import { NoAnswer } from './answer.ts'
import type { Method } from './route.ts'

const longestAnswerBytes = 1024 * 1024

export interface Exchange {
  method: Method
  /** Scheme, host and port. */
  origin: URL
  /** Sent as it is: never through `URL`, which resolves dots. */
  path: string
  headers: Record<string, string>
  body?: string
  agent: Agent
  connectMs: number
  totalMs: number
}

/** One call and its answer, redirects included: they are answers. Throws NoAnswer, or the signal's reason. */
export function exchange(asked: Exchange, clock: Clock, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    let isConnected = false
    let isOver = false
    const { origin, body } = asked
    const request: ClientRequest = (origin.protocol === 'https:' ? requestHttps : requestHttp)({
      method: asked.method,
      // An IPv6 address stands in brackets in a URL and without them here.
      hostname: origin.hostname.replace(/^\[|\]$/g, ''),
      ...(origin.port && { port: Number(origin.port) }),
      path: asked.path,
      agent: asked.agent,
      headers: {
        ...asked.headers,
        ...(body !== undefined && { 'content-length': Buffer.byteLength(body).toString() }),
      },
    })
    const end = (settle: () => void) => {
      if (isOver) return
      isOver = true
      connecting[Symbol.dispose]()
      total[Symbol.dispose]()
      signal.removeEventListener('abort', onAbort)
      settle()
    }
    const giveUp = (error: unknown) =>
      end(() => {
        request.destroy()
        reject(error)
      })
    const onAbort = () => giveUp(signal.reason)
    const connecting = clock.countdown(asked.connectMs, () => {
      if (!isConnected) giveUp(new NoAnswer('timeout', false))
    })
    const total = clock.countdown(asked.totalMs, () => giveUp(new NoAnswer('timeout', isConnected)))
    signal.addEventListener('abort', onAbort, { once: true })
    request.on('socket', (socket: Socket) => {
      const onConnect = () => {
        isConnected = true
        connecting[Symbol.dispose]()
      }
      if (request.reusedSocket) return onConnect()
      socket.once(origin.protocol === 'https:' ? 'secureConnect' : 'connect', onConnect)
    })
    request.on('error', (error) => giveUp(silenceOf(error, isConnected)))
    request.on('response', (response) => {
      read(response).then((answer) => end(() => resolve(answer)), giveUp)
    })
    request.end(body)
  })
}

/**
 * By TLS 1.3 a client is through with its handshake before the server has looked at its certificate, so that the refusal
 * comes like an answer; the server has read no request then.
 */
export function silenceOf(error: NodeJS.ErrnoException, isConnected: boolean): NoAnswer {
  if (/^ERR_SSL_.*_ALERT_.*(?:CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED)/.test(error.code ?? ''))
    return new NoAnswer('certificate-refused', false, error)
  return new NoAnswer(isConnected ? 'reset' : 'unreachable', isConnected, error)
}

async function read(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of response) {
      bytes += (chunk as Buffer).length
      if (bytes > longestAnswerBytes) break
      chunks.push(chunk as Buffer)
    }
  } catch (error) {
    throw new NoAnswer('reset', true, error)
  }
  if (bytes > longestAnswerBytes) throw new NoAnswer('too-large', true)
  const json = parsed(Buffer.concat(chunks).toString('utf8'))
  return { status: response.statusCode ?? 0, headers: response.headers, ...(json !== undefined && { json }) }
}

/** A proxy in front answers in HTML, and a removal with nothing: neither is a mistake. */
function parsed(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}
