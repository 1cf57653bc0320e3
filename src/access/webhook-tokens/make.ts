import { randomBytes } from 'node:crypto'
import { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import type { Checkpoint } from '../../core/checkpoint.ts'
import { passBy } from '../../core/checkpoint.ts'
import type { Clock } from '../../core/clock.ts'
import { Secret } from '../../core/secret.ts'
import { isAlreadyExists, isConflict } from '../../kube/failures.ts'
import { secrets } from '../../kube/kinds.ts'
import type { Kube } from '../../kube/kube.ts'
import { failures } from './failures.ts'
import type { TokenRecord } from './record.ts'
import { digestOf, recordFor, recordOf, secretOf, tokenSecretName, withToken } from './record.ts'

export interface TokenDeps {
  kube: Kube
  /** Of the hub. */
  namespace: string
  clock: Clock
  signal?: AbortSignal
  checkpoint?: Checkpoint
}

export interface TokenOptions {
  /** Whether one may follow another. Default false: then there must be none yet. */
  rotate?: boolean
  /** How long those before it stay good; 0 cuts them off at once. */
  overlapMs?: number
}

export const defaultOverlapMs = 3_600_000

/** How many others may write in between before we give up. */
const tries = 5

/**
 * A new token by which the API server of a cluster asks the webhook. Its digest is stored before it is returned, and it
 * is kept nowhere else: whoever loses it makes another. Throws WEBHOOK_TOKEN_EXISTS unless it may follow another.
 */
export async function makeWebhookToken(cluster: string, deps: TokenDeps, options: TokenOptions = {}): Promise<Secret> {
  const { rotate = false, overlapMs = defaultOverlapMs } = options
  const { clock, checkpoint = passBy } = deps
  const token = Secret.of(`lwt_${randomBytes(32).toString('base64url')}`)
  for (let left = tries; left > 0; left -= 1) {
    const found = await readTokens(cluster, deps)
    const before = recordFor(found?.record ?? { cluster, tokens: [] }, await uidOf(cluster, deps))
    if (before.tokens.length > 0 && !rotate) throw failures.WEBHOOK_TOKEN_EXISTS({ cluster })
    const record = withToken(before, digestOf(token.reveal()), clock.now(), overlapMs)
    if (!(await isStored(record, found?.version, deps))) continue
    checkpoint('access.token-stored')
    return token
  }
  throw failures.WEBHOOK_TOKEN_BUSY({ cluster })
}

/** Whether a token of this cluster is on record. */
export async function hasWebhookToken(cluster: string, deps: TokenDeps): Promise<boolean> {
  const found = await readTokens(cluster, deps)
  return found !== undefined && recordFor(found.record, await uidOf(cluster, deps)).tokens.length > 0
}

/** Of the ClusterConfig that has this name now. */
async function uidOf(cluster: string, { kube, signal }: TokenDeps): Promise<string | undefined> {
  const fieldSelector = `metadata.name=${cluster}`
  const { items } = await kube.of(ClusterConfig.resource).list({ fieldSelector, ...(signal && { signal }) })
  if (items.length > 1) throw failures.WEBHOOK_CLUSTER_AMBIGUOUS({ cluster })
  return items[0]?.metadata.uid
}

async function readTokens(
  cluster: string,
  { kube, namespace, signal }: TokenDeps,
): Promise<{ record: TokenRecord; version: string } | undefined> {
  const name = tokenSecretName(cluster)
  const found = await kube.of(secrets, namespace).find(name, { ...(signal && { signal }) })
  if (!found) return undefined
  const record = recordOf(found)
  if (record?.cluster !== cluster) throw failures.WEBHOOK_TOKEN_FOREIGN({ namespace, name, cluster })
  return { record, version: found.metadata.resourceVersion }
}

/** False where another wrote in between. */
async function isStored(record: TokenRecord, version: string | undefined, deps: TokenDeps): Promise<boolean> {
  const { kube, namespace, signal } = deps
  const collection = kube.of(secrets, namespace)
  const secret = secretOf(record)
  const options = { ...(signal && { signal }) }
  try {
    if (version === undefined) await collection.create(secret, options)
    else {
      const metadata = { ...secret.metadata, namespace, resourceVersion: version }
      await collection.update({ ...secret, metadata }, options)
    }
    return true
  } catch (error) {
    if (isAlreadyExists(error) || isConflict(error)) return false
    throw error
  }
}
