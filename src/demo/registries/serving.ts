import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { Clock } from '../../core/clock.ts'
import { sleep, systemClock } from '../../core/clock.ts'
import type { Random } from '../../core/random.ts'
import { systemRandom } from '../../core/random.ts'
import { bodyOf } from '../body-of.ts'
import type { Fault, StandIn, StandInAccount, StandInCall, StandInOptions } from './contract.ts'
import { faultBox } from './faults.ts'
import type { TokenIssuer } from './token-endpoint.ts'
import { tokenEndpoint } from './token-endpoint.ts'

/** A call as a registry behind a proxy sees it: the path decoded, dot segments resolved. */
export interface Ask {
  method: string
  /** Decoded. `/api/v1/organization/acme/` is ['api', 'v1', 'organization', 'acme']. */
  segments: readonly string[]
  query: URLSearchParams
  /** Parsed JSON, or the text of `text/plain`; undefined when there is none, and `isMalformed` when it is not JSON. */
  body: unknown
  isMalformed: boolean
  headers: IncomingMessage['headers']
}

export interface Reply {
  status: number
  /** JSON, unless it is text. */
  body?: unknown
  headers?: Record<string, string>
}

/** What a kind of registry adds to the server they all share. */
export interface Registry {
  /** Path of the API below the host. */
  basePath: string
  /** Calls below `basePath`, once our own credentials are accepted. Takes effect at once. */
  answer(ask: Ask): Reply
  /** To whom our own credentials mean nothing. */
  refuse(): Reply
  /** Whether the service is let in. Default: by `bearer`. */
  admits?(ask: Ask): boolean
  /** Called after what may have changed something. */
  keep?(): void
  accounts(): readonly StandInAccount[]
  logsIn(username: string, token: string): boolean
  /** Paths besides the API and `/v2/auth`; undefined for what is not served. */
  elsewhere?(ask: Ask): Reply | undefined
}

export interface ServingOptions extends StandInOptions {
  clock?: Clock
  random?: Random
  /** For a real registry that trusts what `/v2/auth` hands out. */
  tokens?: TokenIssuer
  /** Where it remembers its accounts, secrets included, from one start to the next. Absent: nowhere. */
  stateFile?: string
}

/** The part that all stand-ins share: faults, latency, the log of calls, and the login of the registry's clients. */
export async function serveStandIn(registry: Registry, options: ServingOptions): Promise<StandIn> {
  const { clock = systemClock, random = systemRandom, bearer } = options
  const calls: StandInCall[] = []
  const faults = faultBox(random)
  const over = new AbortController()
  const server = createServer((request, response) => {
    serveCall(request, response).catch(() => response.destroy())
  })

  const admits = (ask: Ask): boolean =>
    registry.admits ? registry.admits(ask) : bearer === undefined || ask.headers.authorization === `Bearer ${bearer}`

  function effect(ask: Ask): Reply {
    const path = `/${ask.segments.join('/')}`
    if (ask.isMalformed) return { status: 400, body: { message: 'the body is not JSON' } }
    if (path === '/v2/auth')
      return tokenEndpoint(ask, { logsIn: registry.logsIn, clock, ...(options.tokens && { tokens: options.tokens }) })
    if (path === registry.basePath || path.startsWith(`${registry.basePath}/`)) {
      if (standIn.refuseOurs || !admits(ask)) return registry.refuse()
      const depth = registry.basePath.split('/').length - 1
      const reply = registry.answer({ ...ask, segments: ask.segments.slice(depth) })
      if (ask.method !== 'GET') registry.keep?.()
      return reply
    }
    return registry.elsewhere?.(ask) ?? { status: 404, body: '<html>not found</html>' }
  }

  async function serveCall(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = { method: request.method ?? '', path: request.url ?? '', status: 0, at: clock.now() }
    calls.push(call)
    const ask = await askOf(request)
    const fault = faults.next(call.method, call.path)
    if (standIn.latencyMs > 0) await sleep(clock, standIn.latencyMs, over.signal)
    const say = (reply: Reply) => {
      call.status = reply.status
      write(response, reply)
    }
    await acted(fault, { effect: () => effect(ask), say, cut: () => void request.socket.destroy() })
  }

  type Doing = { effect(): Reply; say(reply: Reply): void; cut(): void }
  async function acted(fault: Fault['do'] | undefined, { effect, say, cut }: Doing): Promise<void> {
    if (fault === undefined) return say(effect())
    if (fault === 'drop') return cut()
    if (fault === 'apply-then-drop') {
      effect()
      return cut()
    }
    if (fault === 'apply-then-hang') return void effect()
    if ('delayMs' in fault) {
      await sleep(clock, fault.delayMs, over.signal)
      return say(effect())
    }
    if ('hold' in fault) {
      await fault.hold()
      return say(effect())
    }
    if ('tooMany' in fault) return say(tooMany(fault.tooMany.retryAfter))
    if ('applyThenAnswer' in fault) {
      effect()
      return say({ status: fault.applyThenAnswer })
    }
    say({ status: fault.answer, body: fault.body, ...(fault.headers && { headers: fault.headers }) })
  }

  const port = await listen(server)
  const standIn: StandIn = {
    url: `http://127.0.0.1:${port}${registry.basePath}`,
    host: `127.0.0.1:${port}`,
    calls,
    accounts: () => registry.accounts(),
    logsIn: (username, token) => registry.logsIn(username, token),
    fail: (...more) => faults.add(more),
    heal() {
      faults.clear()
      standIn.chaos = 0
      standIn.refuseOurs = false
    },
    latencyMs: 0,
    get chaos() {
      return faults.chaos
    },
    set chaos(share) {
      faults.chaos = share
    },
    refuseOurs: false,
    async [Symbol.asyncDispose]() {
      over.abort()
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
  return standIn
}

const tooMany = (retryAfter?: string): Reply => ({
  status: 429,
  body: '<html><head><title>429 Too Many Requests</title></head><body><center>nginx</center></body></html>',
  ...(retryAfter !== undefined && { headers: { 'retry-after': retryAfter } }),
})

async function askOf(request: IncomingMessage): Promise<Ask> {
  const text = await bodyOf(request)
  const [path = '', query = ''] = (request.url ?? '').split('?')
  return {
    method: request.method ?? '',
    segments: resolved(path),
    query: new URLSearchParams(query),
    headers: request.headers,
    ...parsed(text, request.headers['content-type']),
  }
}

function parsed(text: string, type = ''): Pick<Ask, 'body' | 'isMalformed'> {
  if (type.startsWith('text/plain')) return { body: text, isMalformed: false }
  try {
    return { body: text === '' ? undefined : JSON.parse(text), isMalformed: false }
  } catch {
    return { body: text, isMalformed: true }
  }
}

/** As a proxy in front does, so that a client which puts `..` into a path reaches what it would reach outside. */
function resolved(path: string): string[] {
  const segments: string[] = []
  for (const segment of decodedOnce(path).split('/')) {
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  }
  return segments
}

function decodedOnce(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

function write(response: ServerResponse, { status, body, headers = {} }: Reply): void {
  if (response.destroyed) return
  const isText = typeof body === 'string'
  response.writeHead(status, {
    ...(body !== undefined && { 'content-type': isText ? 'text/html' : 'application/json' }),
    ...headers,
  })
  response.end(body === undefined ? undefined : isText ? body : JSON.stringify(body))
}

const listen = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const bound = server.address()
      resolve(typeof bound === 'object' && bound ? bound.port : 0)
    })
  })
