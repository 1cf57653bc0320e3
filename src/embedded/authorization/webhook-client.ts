import type { Clock } from '../../core/clock.ts'
import { isFailure } from '../../core/failure.ts'
import type { Log } from '../../core/log.ts'
import type { Random } from '../../core/random.ts'
import type { KubeClient } from '../../kube/client/index.ts'
import { connect } from '../../kube/client/index.ts'
import { KubeFailure } from '../../kube/failures.ts'
import { connectionOf, readKubeconfig } from '../../kube/kubeconfig/index.ts'
import { closing } from '../status.ts'
import { failures } from './failures.ts'
import type { ReviewSpec } from './review-spec.ts'
import type { WebhookSettings } from './webhook-authorizer.ts'

export interface ReviewStatus {
  readonly allowed?: boolean
  readonly denied?: boolean
  readonly reason?: string
}

/** What came instead of an answer, in the words of Kubernetes. */
export class ReviewFailure extends Error {
  readonly isDeadline: boolean

  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.isDeadline = isFailure(cause, 'KUBE_DEADLINE')
  }
}

/** Asks a webhook. Throws a `ReviewFailure` where the webhook does not answer; anything else is a failure of our own. */
export interface ReviewClient {
  review(spec: ReviewSpec): Promise<ReviewStatus>
  close(): Promise<void>
}

export interface ReviewClientDeps {
  clock: Clock
  random: Random
  log: Log
}

type Target = Pick<WebhookSettings, 'name' | 'kubeConfigFile' | 'timeout' | 'timeoutMs'>

/** Through the kubeconfig of the webhook. Connections are kept; the webhook's own path is the server's, to the letter. */
export async function openReviewClient(settings: Target, deps: ReviewClientDeps): Promise<ReviewClient> {
  const { kubeConfigFile, timeout, timeoutMs } = settings
  const connection = await connectionFrom(settings, deps)
  const url = new URL(connection.server)
  const options = { qps: 0, deadlineMs: timeoutMs, userAgent: 'kube-apiserver' }
  let client: KubeClient
  try {
    client = connect({ ...connection, server: url.origin }, { ...deps, options })
  } catch (error) {
    throw failures.AUTHORIZATION_WEBHOOK_UNREACHABLE(
      { kubeconfig: kubeConfigFile, name: settings.name, detail: (error as Error).message },
      error,
    )
  }
  url.searchParams.set('timeout', timeout)
  const path = `${url.pathname}${url.search}`
  return {
    close: () => client.close(),
    async review(spec) {
      const request = {
        method: 'POST',
        path,
        contentType: 'application/json',
        accept: 'application/json, */*',
        body: reviewOf(spec),
      } as const
      try {
        return statusOf(await client.request<unknown>(request))
      } catch (error) {
        if (error instanceof ReviewFailure) throw error
        if (isFailure(error, 'KUBE_CLOSED')) throw closing()
        throw isOfWebhook(error) ? new ReviewFailure(wordsOf(error, url.href), error) : error
      }
    },
  }
}

async function connectionFrom({ kubeConfigFile, name }: Target, { clock, log }: ReviewClientDeps) {
  const unusable = (detail: string, cause?: unknown) =>
    failures.AUTHORIZATION_WEBHOOK_UNREACHABLE({ kubeconfig: kubeConfigFile, name, detail }, cause)
  try {
    const config = await readKubeconfig(kubeConfigFile)
    if (!config) throw unusable('there is no such file')
    const { connection } = await connectionOf(config, { clock, log, env: {}, source: kubeConfigFile })
    return connection
  } catch (error) {
    throw isFailure(error, 'AUTHORIZATION_WEBHOOK_UNREACHABLE') ? error : unusable((error as Error).message, error)
  }
}

const reviewOf = (spec: ReviewSpec) => ({
  kind: 'SubjectAccessReview',
  apiVersion: 'authorization.k8s.io/v1',
  metadata: {},
  spec,
  status: { allowed: false },
})

function statusOf(answer: unknown): ReviewStatus {
  const { apiVersion, kind, status } = (answer ?? {}) as Record<string, unknown>
  if (apiVersion !== 'authorization.k8s.io/v1' || kind !== 'SubjectAccessReview')
    throw new ReviewFailure(`expected an authorization.k8s.io/v1 SubjectAccessReview, got ${apiVersion} ${kind}`)
  return (status ?? {}) as ReviewStatus
}

const isOfWebhook = (error: unknown): error is Error => error instanceof KubeFailure || isFailure(error)

/** As a client of the API words it: the server's own message, or what its code means. */
function wordsOf(error: Error, url: string): string {
  if (isFailure(error, 'KUBE_DEADLINE')) return `Post ${JSON.stringify(url)}: context deadline exceeded`
  if (!(error instanceof KubeFailure)) return `Post ${JSON.stringify(url)}: ${error.message}`
  if (error.reason !== 'Unknown') return error.message
  return error.code === 404
    ? 'the server could not find the requested resource'
    : `an error on the server (${JSON.stringify(error.message)}) has prevented the request from succeeding`
}
