import { readFile } from 'node:fs/promises'
import { Failure } from '../core/failure.ts'
import { Secret } from '../core/secret.ts'
import { failures } from './failures.ts'
import { printable } from './printable.ts'
import type { RestAnswered } from './rest-call.ts'
import { restCall } from './rest-call.ts'

/** The REST API as the commands use it. */
export interface PullClient {
  readonly server: string
  /** Throws what the service answers as a failure, in its own words. */
  call<T>(method: 'GET' | 'POST' | 'DELETE', path: string, options?: CallOptions): Promise<Answered<T>>
  /** Every page of a list. */
  all<T>(path: string, query?: Readonly<Record<string, string>>): Promise<T[]>
}

export interface CallOptions {
  body?: unknown
  query?: Readonly<Record<string, string>>
  headers?: Readonly<Record<string, string>>
}

export interface Answered<T> {
  status: number
  body: T
  /** Of a list: the path and query of the next page. */
  next?: string
}

/** What went wrong, by RFC 9457; `rotation_id` where an open rotation is in the way. */
export interface Problem {
  status?: number
  code?: string
  detail?: string
  title?: string
  rotation_id?: string
  errors?: { field: string; message: string }[]
}

/** A refusal of the service, with what it said. */
export class PullRefusal extends Failure {
  readonly problem: Problem
  constructor(problem: Problem, status: number, sentence: string, retryAfterSeconds?: number) {
    super('PULL_SERVER_REFUSED', status, sentence, { retryAfterSeconds })
    this.problem = problem
  }

  /** How long the service asks to wait, if it does. */
  get retryAfterSeconds(): number | undefined {
    return this.params['retryAfterSeconds'] as number | undefined
  }
}

export const apiBase = '/api/hyperfleet/v1'
const pageSize = 100

export interface ClientOptions {
  server: string
  token: Secret
  /** Who vouches for the server, PEM. */
  ca?: string
  signal: AbortSignal
}

export function pullClient({ server, token, ca, signal }: ClientOptions): PullClient {
  const call: PullClient['call'] = async (method, path, { body, query = {}, headers = {} } = {}) => {
    const whole = path.startsWith(apiBase) ? path : `${apiBase}${path}`
    const answered = await restCall({ server, token, ca, signal }, { method, path: whole, body, query, headers }).catch(
      (error: NodeJS.ErrnoException) => {
        signal.throwIfAborted()
        throw failures.PULL_SERVER_AWAY({ server, detail: error.code ?? error.message }, error)
      },
    )
    const { status, body: parsed } = answered
    if (status >= 400) throw refusal(status, parsed as Problem | undefined, answered)
    if (parsed === undefined && answered.text !== '')
      throw failures.PULL_SERVER_AWAY({ server, detail: 'what answers there is no pull secret service' })
    const next = nextIn(answered.headers.link)
    return { status, body: parsed as never, ...(next !== undefined && { next }) }
  }
  return {
    server,
    call,
    async all<T>(path: string, query: Readonly<Record<string, string>> = {}) {
      const items: T[] = []
      let page = await call<List<T>>('GET', path, { query: { ...query, size: String(pageSize) } })
      for (;;) {
        items.push(...page.body.items)
        if (page.next === undefined) return items
        page = await call<List<T>>('GET', page.next)
      }
    },
  }
}

interface List<T> {
  items: T[]
}

/** `<path?query>; rel="next"`, on this server only: a token goes nowhere else. */
function nextIn(link: string | string[] | undefined): string | undefined {
  const [, target] = /<([^>]+)>;\s*rel="next"/.exec([link].flat().join(', ')) ?? []
  return target?.startsWith(`${apiBase}/`) ? target : undefined
}

function refusal(status: number, problem: Problem = {}, { headers }: RestAnswered): PullRefusal {
  const said = problem.detail ?? problem.title ?? `the service answered ${status}`
  const fields = problem.errors?.map(({ field, message }) => `${field}: ${message}`).join('; ')
  const code = problem.code ? ` [${problem.code}]` : ''
  const retryAfter = Number(headers['retry-after'])
  const sentence = printable(`${said}${fields ? ` (${fields})` : ''}${code}${hints[status] ?? ''}`)
  return new PullRefusal(problem, status, sentence, Number.isFinite(retryAfter) ? retryAfter : undefined)
}

const hints: Readonly<Record<number, string>> = {
  401: '; give a token with --token-file, by default the one in the data folder of the service',
  403: '; ask for a role that allows it, or use the operator token with --token-file',
}

/** A file with a token and nothing else. */
export async function tokenIn(path: string, flag: string): Promise<Secret> {
  try {
    return Secret.of((await readFile(path, 'utf8')).trim())
  } catch (error) {
    const detail = (error as NodeJS.ErrnoException).code
    throw failures.FILE_UNREADABLE({ path, flag, detail }, error)
  }
}
