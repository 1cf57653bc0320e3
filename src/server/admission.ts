import type { Clock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import type { Metrics } from '../core/metrics.ts'
import type { AdmissionRequest, AdmissionWebhook, Verdict } from '../fleet/admission.ts'
import { deadline } from '../kube/deadline.ts'
import { json } from './answer.ts'
import { failures } from './failures.ts'
import type { Asked, Route } from './route.ts'
import { readJson } from './route.ts'

export interface AdmissionDeps {
  clock: Clock
  log: Log
  metrics: Metrics
}

const apiVersion = 'admission.k8s.io/v1'
const kind = 'AdmissionReview'

/** As API servers have it when they do not say. */
const defaultTimeoutMs = 10_000
/** The longest that a configuration may ask for. */
const maxTimeoutMs = 30_000
/** The decision ends a little before the API server's patience, so that its answer still arrives. */
const shareOfTimeout = 0.9

const outcomes = ['allowed', 'denied', 'failed'] as const

export const admissionRoutes = (webhooks: readonly AdmissionWebhook[], deps: AdmissionDeps): [string, Route][] =>
  webhooks.map((webhook) => [webhook.path, admissionRoute(webhook, deps)])

function admissionRoute(webhook: AdmissionWebhook, deps: AdmissionDeps): Route {
  const { name } = webhook
  const labels = { webhook: [name] }
  const total = deps.metrics.counter('lanyard_admission_reviews_total', 'Admission reviews by what came of them', {
    ...labels,
    outcome: outcomes,
  })
  const seconds = deps.metrics.histogram('lanyard_admission_review_seconds', 'Time one admission review took', labels)
  return {
    method: 'POST',
    isForApiServers: true,
    answer: async (asked) => {
      const request = readReview(await readJson(asked))
      const startedAt = performance.now()
      const verdict = await decide(webhook, request, asked, deps)
      total.inc({ webhook: name, outcome: verdict.allowed ? 'allowed' : verdict.code === 500 ? 'failed' : 'denied' })
      seconds.observe({ webhook: name }, (performance.now() - startedAt) / 1_000)
      return json({ apiVersion, kind, response: { uid: request.uid, ...responseOf(verdict) } })
    },
  }
}

/** Fails closed, with a message that tells nothing of what went wrong inside. */
async function decide(
  webhook: AdmissionWebhook,
  request: AdmissionRequest,
  { query, signal }: Asked,
  { clock, log }: AdmissionDeps,
): Promise<Verdict> {
  const limitMs = Math.round(timeoutMs(query.get('timeout')) * shareOfTimeout)
  const late = () => failures.ADMISSION_LATE({ webhook: webhook.name, limitMs })
  using limit = deadline(clock, limitMs, late, signal)
  try {
    return await Promise.race([webhook.decide(request, limit.signal), rejectedOn(limit.signal)])
  } catch (error) {
    const { uid, operation, name, namespace } = request
    log.error({ err: error, webhook: webhook.name, uid, operation, name, namespace }, 'an admission was not decided')
    return { allowed: false, code: 500, message: undecided }
  }
}

const undecided =
  'the hub could not decide about this request, so it is refused; try again, and look into the log of the hub if it is refused again'

const rejectedOn = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

/** Written as Go writes a duration: `10s`, `1m30s`, `500ms`. */
export function timeoutMs(given: string | null): number {
  const parts = [...(given ?? '').matchAll(/(\d+(?:\.\d+)?)(ms|s|m)/g)]
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== given) return defaultTimeoutMs
  const unitMs = { ms: 1, s: 1_000, m: 60_000 }
  const sum = parts.reduce((ms, [, amount, unit]) => ms + Number(amount) * unitMs[unit as keyof typeof unitMs], 0)
  return Math.min(sum, maxTimeoutMs)
}

function readReview(body: unknown): AdmissionRequest {
  const review = (body ?? {}) as { apiVersion?: unknown; kind?: unknown; request?: Partial<AdmissionRequest> }
  const wrong = (field: string, expected: string) => failures.SERVER_NOT_A_REVIEW({ field, expected })
  if (review.apiVersion !== apiVersion) throw wrong('apiVersion', apiVersion)
  if (review.kind !== kind) throw wrong('kind', kind)
  const { request } = review
  if (typeof request?.uid !== 'string' || request.uid === '') throw wrong('request.uid', 'a string')
  if (typeof request.operation !== 'string') throw wrong('request.operation', 'a string')
  if (typeof request.userInfo !== 'object' || request.userInfo === null) throw wrong('request.userInfo', 'an object')
  return request as AdmissionRequest
}

const reasonOf = { 400: 'BadRequest', 403: 'Forbidden', 500: 'InternalError' } as const

function responseOf(verdict: Verdict): object {
  if (!verdict.allowed) {
    const { code, message } = verdict
    return { allowed: false, status: { status: 'Failure', code, reason: reasonOf[code], message } }
  }
  const { patch = [], warnings = [] } = verdict
  return {
    allowed: true,
    ...(patch.length > 0 && {
      patchType: 'JSONPatch',
      patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
    }),
    ...(warnings.length > 0 && { warnings }),
  }
}
