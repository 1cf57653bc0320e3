/** One HTTP request to what is outside: bounded in time and size, no redirects, no retries. */
import { request as plain } from 'node:http'
import { request as tls } from 'node:https'
import type { Clock } from '../../core/clock.ts'
import { pieceBytes } from '../../core/pieces.ts'

export interface HttpCall {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  headers?: Readonly<Record<string, string>>
  /** Sent as JSON, unless it is text. */
  body?: unknown
  /** PEM that vouches for the server. Absent: the system's roots. */
  ca?: string
}

export interface HttpAnswer {
  status: number
  text: string
  /** Undefined for what is no JSON. */
  json: unknown
}

export type CallHttp = (call: HttpCall, signal: AbortSignal) => Promise<HttpAnswer>

/** There was no answer. What the other side did, nobody knows. */
export class NoAnswer extends Error {
  /** Of Node or ours, fit for a log: `ECONNREFUSED`, `TIMEOUT`, `TOO_LARGE`. */
  readonly code: string

  constructor(code: string, cause?: unknown) {
    super(`no answer: ${code}`, { cause })
    this.name = 'NoAnswer'
    this.code = code
  }
}

const largestAnswer = 1_048_576

export const httpCaller =
  (clock: Pick<Clock, 'countdown'>, { timeoutMs = 10_000 }: { timeoutMs?: number } = {}): CallHttp =>
  async (call, signal) => {
    signal.throwIfAborted()
    const stop = new AbortController()
    using _ = clock.countdown(timeoutMs, () => stop.abort(new NoAnswer('TIMEOUT')))
    try {
      return await exchange(call, AbortSignal.any([signal, stop.signal]))
    } catch (error) {
      if (signal.aborted) throw signal.reason
      if (stop.signal.aborted) throw stop.signal.reason
      throw error instanceof NoAnswer ? error : new NoAnswer(codeOf(error), error)
    }
  }

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'NETWORK'

function exchange({ method, url, headers, body, ca }: HttpCall, signal: AbortSignal): Promise<HttpAnswer> {
  const bytes = body === undefined ? undefined : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  const send = new URL(url).protocol === 'https:' ? tls : plain
  const options = {
    method,
    signal,
    headers: {
      accept: 'application/json',
      ...(bytes && { 'content-type': 'application/json', 'content-length': bytes.length }),
      ...headers,
    },
    ...(ca && { ca }),
  }
  return new Promise((resolve, reject) => {
    const request = send(url, options, (response) => {
      const chunks: Buffer[] = []
      let size = 0
      response.on('data', (chunk: Buffer) => {
        size += chunk.length + pieceBytes
        if (size > largestAnswer) request.destroy(new NoAnswer('TOO_LARGE'))
        else chunks.push(chunk)
      })
      response.on('error', reject)
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        resolve({ status: response.statusCode ?? 0, text, json: parsed(text) })
      })
    })
    request.on('error', reject)
    request.end(bytes)
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
