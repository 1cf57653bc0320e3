import type { Clock } from '../../core/clock.ts'
import { isFailure } from '../../core/failure.ts'
import type { Log } from '../../core/log.ts'
import type { Random } from '../../core/random.ts'
import { BoundedMap } from '../../kube/bounded-map.ts'
import type { KubeClient } from '../../kube/client/index.ts'
import { connect } from '../../kube/client/index.ts'
import type { Connection } from '../../kube/connection.ts'
import { connectionOf, readKubeconfig } from '../../kube/kubeconfig/index.ts'
import { closing, overloaded } from '../status.ts'
import { stopwatch } from '../stopwatch.ts'
import type { BearerToken } from './bearer-token.ts'
import { failures } from './failures.ts'
import type { User } from './user.ts'
import type { TokenAuthenticator, Verdict } from './verdict.ts'

export interface TokenWebhookDeps {
  clock: Clock
  random: Random
  log: Log
  /** For what this API's own tokens are good. */
  audiences: readonly string[]
}

interface ReviewStatus {
  authenticated?: boolean
  user?: { username?: string; uid?: string; groups?: string[]; extra?: Record<string, string[]> }
  audiences?: string[]
  error?: string
}

interface Remembered {
  readonly verdict: Verdict | undefined
  readonly until: number
}

const apiVersion = 'authentication.k8s.io/v1'
const mostRemembered = 8192
const answerMs = 30_000
const defaultTtlMs = 2 * 60_000

/** Throws AUTHENTICATION_WEBHOOK_UNREACHABLE for a kubeconfig that can never work; the webhook itself may be away. */
export async function openTokenWebhook(
  kubeconfig: string,
  ttlMs = defaultTtlMs,
  deps: TokenWebhookDeps,
): Promise<TokenWebhook> {
  try {
    const config = await readKubeconfig(kubeconfig)
    if (!config) throw new Error('there is no such file')
    const { connection } = await connectionOf(config, { ...deps, env: {}, source: kubeconfig })
    return new TokenWebhook(connection, ttlMs, deps)
  } catch (error) {
    throw failures.AUTHENTICATION_WEBHOOK_UNREACHABLE({ kubeconfig, detail: (error as Error).message }, error)
  }
}

/** Shows tokens that nobody else knows to a webhook, whose answers are remembered by the digest of the token. */
export class TokenWebhook implements TokenAuthenticator {
  readonly #deps: TokenWebhookDeps
  readonly #client: KubeClient
  readonly #path: string
  readonly #ttlMs: number
  readonly #remembered = new BoundedMap<string, Remembered>(mostRemembered)
  readonly #underWay = new Map<string, Promise<Verdict | undefined>>()
  #isAway = false

  constructor(connection: Connection, ttlMs: number, deps: TokenWebhookDeps) {
    const url = new URL(connection.server)
    url.searchParams.set('timeout', `${answerMs / 1000}s`)
    this.#deps = deps
    this.#ttlMs = ttlMs
    this.#path = `${url.pathname}${url.search}`
    const options = { qps: 0, deadlineMs: answerMs, userAgent: 'kube-apiserver' }
    this.#client = connect({ ...connection, server: url.origin }, { ...deps, options })
  }

  async authenticate(token: BearerToken, asked: readonly string[]): Promise<Verdict | undefined> {
    const key = `${token.digest} ${JSON.stringify(asked)}`
    const known = this.#remembered.get(key)
    if (known && known.until > this.#deps.clock.now().getTime()) return known.verdict
    let answer = this.#underWay.get(key)
    if (!answer) {
      answer = this.#ask(token, asked, key).finally(() => this.#underWay.delete(key))
      this.#underWay.set(key, answer)
    }
    return await answer
  }

  close(): Promise<void> {
    return this.#client.close()
  }

  async #ask(token: BearerToken, asked: readonly string[], key: string): Promise<Verdict | undefined> {
    let status: ReviewStatus
    const watch = stopwatch(answerMs)
    try {
      status = await this.#review(token, asked)
    } catch (error) {
      // Neither says anything about the token.
      if (isFailure(error, 'KUBE_CLOSED')) throw closing()
      if (isFailure(error, 'KUBE_DEADLINE') && watch.isLate) throw overloaded()
      if (!this.#isAway) this.#deps.log.warn({ err: error }, 'token webhook does not answer')
      this.#isAway = true
      return { error: (error as Error).message }
    }
    this.#isAway = false
    const verdict = verdictOf(status, asked, this.#deps.audiences)
    if (verdict && 'error' in verdict) return verdict
    this.#remembered.set(key, { verdict, until: this.#deps.clock.now().getTime() + this.#ttlMs })
    return verdict
  }

  async #review(token: BearerToken, audiences: readonly string[]): Promise<ReviewStatus> {
    const answer = await this.#client.request<{ apiVersion?: string; kind?: string; status?: ReviewStatus } | null>({
      method: 'POST',
      path: this.#path,
      contentType: 'application/json',
      accept: 'application/json, */*',
      body: { kind: 'TokenReview', apiVersion, metadata: {}, spec: { token: token.reveal(), audiences }, status: {} },
    })
    if (answer?.apiVersion !== apiVersion || answer.kind !== 'TokenReview')
      throw new Error(`expected an ${apiVersion} TokenReview, got ${answer?.apiVersion} ${answer?.kind}`)
    return answer.status ?? {}
  }
}

/** Undefined when it is good for none of the audiences, or for nobody in particular. */
function verdictOf(status: ReviewStatus, asked: readonly string[], own: readonly string[]): Verdict | undefined {
  const good = status.audiences?.length ? status.audiences : own
  const audiences = asked.filter((audience) => good.includes(audience))
  if (audiences.length === 0) return undefined
  if (!status.authenticated) return status.error ? { error: status.error } : undefined
  return { user: userOf(status.user ?? {}), audiences }
}

const userOf = ({ username = '', uid, groups, extra }: NonNullable<ReviewStatus['user']>): User => ({
  name: username,
  groups: groups ?? [],
  ...(uid && { uid }),
  ...(extra && Object.keys(extra).length > 0 && { extra }),
})
