import type { Clock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import { BoundedMap } from '../../kube/bounded-map.ts'
import { overloaded } from '../status.ts'
import { stopwatch } from '../stopwatch.ts'
import type { Attributes, Authorizer, Decision } from './attributes.ts'
import { isAboutPath } from './attributes.ts'
import { compileConditions, matching } from './match-conditions.ts'
import { reviewSpecOf } from './review-spec.ts'
import type { ReviewClient, ReviewStatus } from './webhook-client.ts'
import { ReviewFailure } from './webhook-client.ts'

export interface WebhookSettings {
  readonly name: string
  readonly kubeConfigFile: string
  readonly timeoutMs: number
  /** The same as the file has it. */
  readonly timeout: string
  /** What a webhook that cannot be asked, or does not answer, says. */
  readonly failurePolicy: 'NoOpinion' | 'Deny'
  readonly authorizedTtlMs: number
  readonly unauthorizedTtlMs: number
  readonly cacheAuthorized: boolean
  readonly cacheUnauthorized: boolean
  readonly matchConditions: readonly string[]
}

export interface WebhookAuthorizerDeps {
  clock: Pick<Clock, 'now'>
  log: Log
  client: ReviewClient
  /** Running time in milliseconds. */
  elapsed?: (() => number) | undefined
}

interface Remembered {
  readonly status: ReviewStatus
  readonly until: number
}

/** Answers that are remembered. As many as Kubernetes keeps. */
const mostRemembered = 8192
/** A question that is longer than this in what its author chooses is not remembered. */
const longestRemembered = 10_000
const noOpinion: Decision = { verdict: 'no opinion', reason: '' }

/**
 * Asks a webhook, unless its conditions say that the question is not for it, or the answer is still known. What comes of
 * a webhook that fails, its failurePolicy says; that this control plane could not ask is no failure of the webhook's, and
 * rejects: the next authorizer must not be asked in its place.
 */
export class WebhookAuthorizer implements Authorizer {
  readonly #settings: WebhookSettings
  readonly #deps: WebhookAuthorizerDeps
  readonly #conditions: ReturnType<typeof compileConditions>
  readonly #remembered = new BoundedMap<string, Remembered>(mostRemembered)

  constructor(settings: WebhookSettings, deps: WebhookAuthorizerDeps) {
    this.#settings = settings
    this.#deps = deps
    this.#conditions = compileConditions(settings.matchConditions)
  }

  async authorize(attributes: Attributes): Promise<Decision> {
    const spec = reviewSpecOf(attributes)
    const match = matching(this.#conditions, spec)
    if ('error' in match) return this.#failed(match.error)
    if (!match.matches) return noOpinion
    const key = JSON.stringify(spec)
    const known = this.#recall(key)
    if (known) return decisionOf(known)
    const watch = stopwatch(this.#settings.timeoutMs, this.#deps.elapsed)
    try {
      const status = await this.#deps.client.review(spec)
      if (lengthOf(attributes) < longestRemembered) this.#remember(key, status)
      return decisionOf(status)
    } catch (error) {
      if (!(error instanceof ReviewFailure)) throw error
      if (error.isDeadline && watch.isLate) throw overloaded()
      this.#deps.log.warn({ err: error, authorizer: this.#settings.name }, 'webhook authorizer failed')
      return this.#failed(error.message)
    }
  }

  #failed(error: string): Decision {
    return { verdict: this.#settings.failurePolicy === 'Deny' ? 'deny' : 'no opinion', reason: '', error }
  }

  #recall(key: string): ReviewStatus | undefined {
    const found = this.#remembered.get(key)
    if (!found) return undefined
    if (found.until > this.#deps.clock.now().getTime()) return found.status
    this.#remembered.delete(key)
    return undefined
  }

  #remember(key: string, status: ReviewStatus): void {
    const { cacheAuthorized, cacheUnauthorized, authorizedTtlMs, unauthorizedTtlMs } = this.#settings
    const ttlMs = status.allowed ? cacheAuthorized && authorizedTtlMs : cacheUnauthorized && unauthorizedTtlMs
    if (ttlMs) this.#remembered.set(key, { status, until: this.#deps.clock.now().getTime() + ttlMs })
  }
}

function decisionOf({ allowed = false, denied = false, reason = '' }: ReviewStatus): Decision {
  if (allowed && denied) {
    const error = 'webhook subject access review returned both allow and deny response'
    return { verdict: 'deny', reason, error }
  }
  return { verdict: denied ? 'deny' : allowed ? 'allow' : 'no opinion', reason }
}

const lengthOf = (attributes: Attributes): number =>
  isAboutPath(attributes)
    ? attributes.verb.length + attributes.path.length
    : (['verb', 'group', 'version', 'resource', 'subresource', 'namespace', 'name'] as const).reduce(
        (length, field) => length + attributes[field].length,
        0,
      )
