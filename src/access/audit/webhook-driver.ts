import type { AuditSink } from '../../apis/breakglass/audit-sink-fields.ts'
import type { SecretReference } from '../../apis/breakglass/common.ts'
import type { Clock } from '../../core/clock.ts'
import { Secret } from '../../core/secret.ts'
import { valueIn } from '../../fleet/spoke/secret-value.ts'
import { secrets } from '../../kube/kinds.ts'
import type { Kube } from '../../kube/kube.ts'
import type { SendPost } from '../outgoing/post.ts'
import { answeredStatus } from '../outgoing/post.ts'
import type { Driver } from './driver.ts'
import { failures } from './failures.ts'

type Webhook = NonNullable<AuditSink['webhook']>

export interface WebhookDriverDeps {
  kube: Kube
  /** Where its Secrets are, and nowhere else. */
  namespace: string
  clock: Pick<Clock, 'now'>
  post: SendPost
}

/** How long what a Secret holds is used without another look. */
const secretsKeptMs = 30_000
/** Answers that say that the records themselves are not wanted. All others may be about the moment, or can be healed. */
const refusals: readonly (number | undefined)[] = [400, 413, 422]

/** One record as an object, several as an array. */
export function webhookDriver(webhook: Webhook, deps: WebhookDriverDeps): Driver {
  const { url, batchUrl, batchSize = 1, timeoutSeconds = 5, headers = {}, authSecretRef, tls } = webhook
  let known: { at: number; authorization: Secret | undefined; ca: string | undefined } | undefined

  async function trusted(signal: AbortSignal) {
    const now = deps.clock.now().getTime()
    if (known && now >= known.at && now - known.at < secretsKeptMs) return known
    const authorization = authSecretRef && (await authorizationIn(authSecretRef, deps, signal))
    const ca = tls?.caSecretRef && (await textIn(tls.caSecretRef, 'ca.crt', deps, signal)).reveal()
    known = { at: now, authorization, ca }
    return known
  }

  return {
    batchSize,
    async write(records, signal) {
      const { authorization, ca } = await trusted(signal)
      const [only] = records
      const post = {
        url: batchSize > 1 ? (batchUrl ?? url) : url,
        headers: { ...headers, ...(authorization && { authorization: authorization.reveal() }) },
        body: JSON.stringify(batchSize > 1 ? records : only),
        timeoutMs: timeoutSeconds * 1_000,
        ...(ca !== undefined && { ca }),
        ...(tls?.insecureSkipVerify && { insecure: true }),
      }
      try {
        await deps.post(post, signal)
      } catch (error) {
        known = undefined
        throw error
      }
    },
    isFinal: (error) => refusals.includes(answeredStatus(error)),
  }
}

async function authorizationIn(
  reference: SecretReference,
  deps: WebhookDriverDeps,
  signal: AbortSignal,
): Promise<Secret> {
  const found = await secretAt(reference, deps, signal)
  const text = (key: string) =>
    Buffer.from(found?.data?.[key] ?? '', 'base64')
      .toString()
      .trim()
  if (text('token') !== '') return Secret.of(`Bearer ${text('token')}`)
  if (text('username') === '' || text('password') === '') throw failures.AUDIT_SECRET_INCOMPLETE(reference)
  return Secret.of(`Basic ${Buffer.from(`${text('username')}:${text('password')}`).toString('base64')}`)
}

const textIn = async (reference: SecretReference, key: string, deps: WebhookDriverDeps, signal: AbortSignal) =>
  valueIn(await secretAt(reference, deps, signal), { ...reference, keys: [key], field: 'the sink' }).text

async function secretAt(
  { namespace, name }: SecretReference,
  { kube, namespace: own }: WebhookDriverDeps,
  signal: AbortSignal,
) {
  if (namespace !== own) throw failures.AUDIT_SECRET_ELSEWHERE({ namespace, name, own })
  return await kube.of(secrets, namespace).find(name, { signal })
}
