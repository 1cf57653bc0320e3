import type { IncomingMessage } from 'node:http'
import { Agent, request as httpsRequest } from 'node:https'
import { parse, stringify } from 'yaml'
import type { ControlPlane } from '../control-plane.ts'
import { Memory } from './memory.ts'
import type { Request } from './request.ts'

export interface Answer {
  readonly code: number
  /** Those that a client may act on. */
  readonly headers: Readonly<Record<string, string>>
  readonly warnings: readonly string[]
  /** JSON and YAML are read; anything else is text. */
  readonly body: unknown
}

/** A watch that goes on. */
export interface Events {
  readonly head: Answer
  readonly seen: readonly unknown[]
  readonly isOver: boolean
  close(): void
}

const answerWithinMs = 30_000

/** One of the two that are compared, with all that it has said. */
export class Plane {
  readonly memory = new Memory()
  readonly #plane: ControlPlane
  readonly #agent: Agent

  constructor(plane: ControlPlane) {
    this.#plane = plane
    const { caPem: ca, admin } = plane
    this.#agent = new Agent({ keepAlive: true, ca, cert: admin.certPem, key: admin.keyPem.reveal() })
  }

  async send(request: Request): Promise<Answer> {
    const answer = await this.ask(request)
    if (answer.code < 300) this.memory.learn(request, answer.body)
    return answer
  }

  /** What is answered is not remembered: later requests do not refer to it. */
  async ask(request: Request): Promise<Answer> {
    const message = await this.#ask(request, AbortSignal.timeout(answerWithinMs))
    const chunks: Buffer[] = []
    for await (const chunk of message) chunks.push(chunk)
    return answerOf(message, Buffer.concat(chunks).toString())
  }

  /** Until what it caches of a resource is not older than now. */
  async settle(path: string): Promise<void> {
    await this.ask({ id: 0, about: path, method: 'GET', path, query: { fieldSelector: 'metadata.name=settle' } })
  }

  /** Where it is refused there is nothing to follow, only an answer. */
  async watch(request: Request): Promise<Answer | Events> {
    const stop = new AbortController()
    const message = await this.#ask(request, stop.signal)
    const isStream = message.statusCode === 200 && message.headers['transfer-encoding'] === 'chunked'
    if (!isStream) {
      const chunks: Buffer[] = []
      for await (const chunk of message) chunks.push(chunk)
      return answerOf(message, Buffer.concat(chunks).toString())
    }
    return follow(message, () => stop.abort())
  }

  close(): void {
    this.#agent.destroy()
  }

  #ask(request: Request, signal: AbortSignal): Promise<IncomingMessage> {
    const { method, query = {}, headers = {} } = request
    const search = new URLSearchParams(this.memory.resolve(query) as Record<string, string>).toString()
    const body = this.#written(request)
    const options = {
      method,
      path: search === '' ? request.path : `${request.path}?${search}`,
      agent: this.#agent,
      signal,
      headers: {
        accept: 'application/json',
        'user-agent': 'differential/1.0',
        ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
        ...headers,
      },
    }
    return new Promise((resolve, reject) => {
      const ask = () => {
        const asked = httpsRequest(new URL(this.#plane.url), options, resolve)
        let isLost = false
        // A connection that is reset may tell so twice.
        asked.on('error', (error: NodeJS.ErrnoException) => {
          if (isLost) return
          isLost = true
          // The server closed a connection that was idle while this was on its way: nothing of it arrived.
          if (asked.reusedSocket && error.code === 'ECONNRESET') ask()
          else reject(new Error(`${method} ${options.path}: ${error.message}`, { cause: error }))
        })
        asked.end(body)
      }
      ask()
    })
  }

  #written({ body, headers }: Request): string | undefined {
    if (body === undefined || typeof body === 'string') return body
    const resolved = this.memory.resolve(body)
    return headers?.['content-type'] === 'application/yaml' ? stringify(resolved) : JSON.stringify(resolved)
  }
}

const compared = ['content-type', 'retry-after', 'location', 'allow', 'www-authenticate', 'cache-control']

function answerOf(message: IncomingMessage, text: string): Answer {
  const headers = compared.flatMap((name) => {
    const value = message.headers[name]
    return value === undefined ? [] : [[name, String(value)]]
  })
  return {
    code: message.statusCode ?? 0,
    headers: Object.fromEntries(headers),
    warnings: message.headersDistinct['warning'] ?? [],
    body: readBody(text, message.headers['content-type'] ?? ''),
  }
}

function readBody(text: string, contentType: string): unknown {
  try {
    if (contentType.includes('yaml')) return parse(text)
    return contentType.includes('json') ? JSON.parse(text) : text
  } catch {
    return text
  }
}

function follow(message: IncomingMessage, close: () => void): Events {
  const seen: unknown[] = []
  const state = { isOver: false }
  let rest = ''
  message.setEncoding('utf8')
  message.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line !== '') seen.push(JSON.parse(line))
  })
  message.once('end', () => {
    state.isOver = true
  })
  // The end of our own making.
  message.once('error', () => {})
  return {
    head: answerOf(message, ''),
    seen,
    get isOver() {
      return state.isOver
    },
    close,
  }
}
