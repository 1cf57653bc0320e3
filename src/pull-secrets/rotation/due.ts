import { createHash } from 'node:crypto'
import type { PullSettings } from '../settings.ts'

const dayMs = 86_400_000

/** The share of its life after which a credential that ends by itself is replaced. */
const renewalShare = 2 / 3

export interface Aging {
  clusterId: string
  issuedAt: Date
  expiresAt?: Date
}

/**
 * When the rotation of a credential is due. Clusters are spread backwards from the end of the policy, by the hash of
 * their id: nothing is older than the policy allows when its rotation starts. A day at most, whatever share the settings
 * allow: whoever reads "every 90 days" may count on nothing happening on day 89, and one day is spread enough for a
 * fleet that was made in one hour. Forwards would break the policy; a draw at random would move with each look.
 */
export function policyDueAt({ clusterId, issuedAt }: Aging, policyDays: number, jitter: number): Date {
  const policyMs = policyDays * dayMs
  return new Date(issuedAt.getTime() + policyMs - spreadMs(clusterId, Math.min(policyMs * jitter, dayMs)))
}

/** When one that ends by itself has to be replaced, well before; undefined for one that does not. */
export function expiryDueAt({ clusterId, issuedAt, expiresAt }: Aging, jitter: number): Date | undefined {
  if (!expiresAt) return undefined
  const lifeMs = Math.max(0, expiresAt.getTime() - issuedAt.getTime())
  return new Date(issuedAt.getTime() + lifeMs * renewalShare - spreadMs(clusterId, Math.min(lifeMs * jitter, dayMs)))
}

/** The earlier of the two. */
export function dueAt(
  aging: Aging,
  { policyDays, jitter }: Pick<PullSettings['rotation'], 'policyDays' | 'jitter'>,
): Date {
  const byPolicy = policyDueAt(aging, policyDays, jitter)
  const byExpiry = expiryDueAt(aging, jitter)
  return byExpiry && byExpiry < byPolicy ? byExpiry : byPolicy
}

/** Within [0, window), always the same for a cluster. */
function spreadMs(clusterId: string, windowMs: number): number {
  const share = createHash('sha256').update(clusterId).digest().readUInt32BE(0) / 2 ** 32
  return Math.floor(share * windowMs)
}
