import type { Agent } from 'node:https'
import type { Clock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import { goQuote } from '../go-quote.ts'
import { ApiFailure, badRequest, closing, internalError, overloaded } from '../status.ts'
import { stopwatch } from '../stopwatch.ts'
import type { Admitted } from './admission.ts'
import type { Candidate } from './matching.ts'
import type { ReviewRequest } from './review.ts'
import { reviewOf } from './review.ts'
import type { Verdict } from './review-response.ts'
import { denial, readVerdict } from './review-response.ts'
import type { Shown } from './versions.ts'
import type { ResolveService } from './webhook-client.ts'
import { callWebhook, WebhookFailure } from './webhook-client.ts'
import type { WebhookCredentials } from './webhook-credentials.ts'
import type { Webhook } from './webhooks.ts'

export interface AskDeps {
  clock: Pick<Clock, 'countdown'>
  log: Log
  resolveService: ResolveService
  agent: Agent
  /** Connections to webhooks are being closed: what fails from now on says nothing about them. */
  isClosing(): boolean
  credentials: WebhookCredentials
}

/** Asking came to nothing. Unlike a refusal, it may be ignored. */
class AskFailure extends Error {}

export const askFailure = ({ name }: Webhook, why: string, cause?: unknown): Error =>
  new AskFailure(`failed calling webhook ${goQuote(name)}: ${why}`, { cause })

const knownVersions = ['v1', 'v1beta1']

/** What one webhook says to a write. Throws its refusal as an `ApiFailure`. */
export async function ask(
  deps: AskDeps,
  write: Pick<Admitted, 'dryRun' | 'warn'>,
  { webhook }: Pick<Candidate, 'webhook'>,
  request: ReviewRequest,
  shown: Shown,
): Promise<Verdict> {
  if (write.dryRun && webhook.hasSideEffects)
    throw badRequest(`admission webhook ${goQuote(webhook.name)} does not support dry run`)
  const verdict = await verdictOf(deps, webhook, request, shown)
  for (const warning of verdict.warnings) write.warn(warning)
  if (!verdict.allowed) throw denial(webhook.name, verdict.status)
  return verdict
}

async function verdictOf(deps: AskDeps, webhook: Webhook, request: ReviewRequest, shown: Shown): Promise<Verdict> {
  const { clientConfig, timeoutMs, type } = webhook
  const watch = stopwatch(timeoutMs)
  const reviewVersion = webhook.reviewVersions.find((version) => knownVersions.includes(version)) ?? 'v1'
  try {
    const credentialFor = deps.credentials[type]
    const answer = await callWebhook(
      { ...deps, clientConfig, credentialFor, timeoutMs },
      reviewOf(reviewVersion, request, shown),
    )
    return readVerdict(answer, { uid: request.uid, reviewVersion, type })
  } catch (error) {
    if (deps.isClosing()) throw closing()
    if (error instanceof WebhookFailure && error.isDeadline && watch.isLate) throw overloaded()
    const { message } = error as Error
    throw askFailure(webhook, error instanceof WebhookFailure ? `failed to call webhook: ${message}` : message, error)
  }
}

/** What a failure means for the write: undefined where it is to go on. */
export function consequence(log: Log, webhook: Webhook, error: unknown): ApiFailure | undefined {
  if (error instanceof ApiFailure) return error
  if (!(error instanceof AskFailure)) throw error
  if (!webhook.ignoresFailure) return internalError(error.message)
  log.warn({ webhook: webhook.name, configuration: webhook.configuration, err: error }, 'failing webhook ignored')
  return undefined
}
