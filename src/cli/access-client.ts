import type { IncomingHttpHeaders } from 'node:http'
import { Failure } from '../core/failure.ts'
import type { Secret } from '../core/secret.ts'
import type { ListOf, SessionItem } from './access-words.ts'
import { sessionsPath } from './access-words.ts'
import { failures } from './failures.ts'
import { printable } from './printable.ts'
import type { RestCall } from './rest-call.ts'
import { restCall } from './rest-call.ts'

/** The access API as the commands use it. */
export interface AccessClient {
  readonly server: string
  /** Throws what the hub answers as a failure, in its own words. */
  get<T>(path: string, query?: RestCall['query']): Promise<T>
  post<T>(path: string, body?: unknown): Promise<T>
  /** Every page of a list. */
  all<T>(path: string, query?: Readonly<Record<string, string>>): Promise<T[]>
}

/** What went wrong, by RFC 9457. */
export interface AccessProblem {
  status?: number
  code?: string
  detail?: string
  title?: string
  error?: string
  denialReason?: string
  /** Of a conflict: the session that is in the way. */
  session?: SessionItem
  errors?: { field: string; message: string }[]
}

/** What was asked for, and what the answer says of itself. */
interface AskedOf {
  path: string
  headers: IncomingHttpHeaders
  /** That the next command needs too, each after a blank. */
  flags: string
}

/** A refusal of the hub, with what it said. */
export class AccessRefusal extends Failure {
  readonly problem: AccessProblem
  constructor(status: number, problem: AccessProblem, asked: AskedOf) {
    super('ACCESS_REFUSED', status, sentenceOf(status, problem, asked), {})
    this.problem = problem
  }
}

export interface AccessClientOptions {
  server: string
  token?: Secret | undefined
  ca?: string | undefined
  /** By which the command found the hub and said who asks: for the commands that refusals advise. */
  flags?: string
  signal: AbortSignal
}

const pageSize = 500

export function accessClient(to: AccessClientOptions): AccessClient {
  const { server, signal, flags = '' } = to
  const call = async (asked: RestCall) => {
    const answer = await restCall(to, asked).catch((error: NodeJS.ErrnoException) => {
      signal.throwIfAborted()
      throw awayFrom(server, error)
    })
    const problem = (answer.body ?? {}) as AccessProblem
    if (answer.status >= 400)
      throw new AccessRefusal(answer.status, problem, { path: asked.path, headers: answer.headers, flags })
    if (answer.body === undefined && answer.text !== '')
      throw failures.ACCESS_SERVER_AWAY({ server, detail: 'what answers there is no hub of Lanyard' })
    return answer.body
  }
  const get = async <T>(path: string, query: RestCall['query'] = {}) =>
    (await call({ method: 'GET', path, query })) as T
  return {
    server,
    get,
    async all<T>(path: string, query: Readonly<Record<string, string>> = {}) {
      const items: T[] = []
      for (let page = 1; ; page += 1) {
        const found = await get<ListOf<T>>(path, { ...query, page: String(page), pageSize: String(pageSize) })
        items.push(...found.items)
        if (found.items.length < pageSize) return items
      }
    },
    post: async <T>(path: string, body?: unknown) =>
      (await call({ method: 'POST', path, ...(body !== undefined && { body }) })) as T,
  }
}

/** Whose certificate nobody vouches for is told apart: something else helps then. */
export function awayFrom(server: string, error: NodeJS.ErrnoException): Failure {
  const detail = error.code ?? error.message
  return certificateProblems.has(detail)
    ? failures.ACCESS_SERVER_UNTRUSTED({ server, detail }, error)
    : failures.ACCESS_SERVER_AWAY({ server, detail }, error)
}

const certificateProblems = new Set([
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_GET_ISSUER_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'CERT_SIGNATURE_FAILURE',
  'CERT_HAS_EXPIRED',
])

function sentenceOf(status: number, problem: AccessProblem, asked: AskedOf): string {
  const said = problem.detail ?? problem.error ?? problem.title ?? `the hub answered ${status}`
  const fields = problem.errors?.map(({ field, message }) => `${field}: ${message}`).join('; ')
  const code = problem.denialReason ?? problem.code
  const hint = hintFor(status, problem, asked)
  return printable(`${said}${fields ? ` (${fields})` : ''}${code ? ` [${code}]` : ''}${hint}`)
}

/** The next command. */
function hintFor(status: number, { session, denialReason }: AccessProblem, { path, headers, flags }: AskedOf): string {
  const run = (words: string) => `\`lanyard access ${words}${flags}\``
  const retryAfter = headers['retry-after']
  if (status === 401) return `; log in again with ${run('login')}`
  if (status === 429) return retryAfter === undefined ? '' : `; try again in ${retryAfter} s`
  if (session) return `; look at it with ${run(`show ${session.metadata.name}`)}`
  if (denialReason === 'SELF_APPROVAL_BLOCKED') return '; somebody else has to approve it'
  if (status !== 403 || !path.startsWith(sessionsPath)) return ''
  return path === sessionsPath
    ? `; see what you may ask for with ${run('escalations')}`
    : `; see the sessions that are yours with ${run('list')}`
}
