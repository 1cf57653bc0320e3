/** What is on record of the tokens of a cluster: digests, and until when each of them is good. */

import { createHash, hash } from 'node:crypto'
import type { Secret as KubeSecret } from 'kubernetes-types/core/v1.d.ts'
import { after } from '../../core/clock.ts'
import { ownDomain } from '../../core/own-domain.ts'
import { managedBy, secretData } from '../../fleet/manifests/manifest.ts'
import { textOf } from '../../fleet/secret-texts.ts'
import { webhookTokenLabel } from '../names.ts'

export interface TokenDigest {
  /** SHA-256, hex. Tokens are random, so nothing slower is needed. */
  readonly digest: string
  readonly issuedAt: string
  /** RFC 3339. Absent: until another follows it. */
  readonly until?: string
}

export interface TokenRecord {
  readonly cluster: string
  /** Of the ClusterConfig that they are for: another one of the same name is another cluster. Absent: there was none yet. */
  readonly uid?: string
  /** Newest first. */
  readonly tokens: readonly TokenDigest[]
}

export const digestOf = (token: string): string => hash('sha256', token)

/** In one call, and not as text first: it is done for every question of every cluster. */
export const digestBytes = (token: string): Buffer => hash('sha256', token, 'buffer')

/** By a digest: what a ClusterConfig is called may be as long as the name of a Secret, which then had no room for more. */
export const tokenSecretName = (cluster: string): string =>
  `lanyard-webhook-token-${createHash('sha256').update(cluster).digest('hex').slice(0, 32)}`

export const isGood = ({ until }: TokenDigest, now: Date): boolean =>
  until === undefined || now.getTime() < new Date(until).getTime()

/**
 * The record with one more token. Those before it stay good for `overlapMs`, or for as long as they were, if that is
 * less. All of them, and not only the last: where a process died between storing a token and showing it, the last is
 * one that nobody has, and the one before is in use.
 */
export function withToken(record: TokenRecord, digest: string, now: Date, overlapMs: number): TokenRecord {
  const end = after(now, overlapMs)
  const kept = record.tokens
    .filter((token) => isGood(token, now))
    .map((token) =>
      token.until !== undefined && new Date(token.until) <= end ? token : { ...token, until: rfc3339(end) },
    )
    .filter((token) => isGood(token, now))
  return { ...record, tokens: [{ digest, issuedAt: rfc3339(now) }, ...kept] }
}

/**
 * The record for the ClusterConfig that has its name now. Tokens from before there was one are its own; those of another,
 * or of one that is gone, are nobody's, and so are they never given to the next.
 */
export function recordFor({ cluster, uid, tokens }: TokenRecord, now: string | undefined): TokenRecord {
  const isSame = uid === undefined || uid === now
  return { cluster, ...(now !== undefined && { uid: now }), tokens: isSame ? tokens : [] }
}

/** What makes a record that one of this ClusterConfig. */
export const boundTo = (uid: string) => ({ data: secretData({ [keys.uid]: uid }) })

/** To the millisecond: a token that is cut off is so at once. */
const rfc3339 = (date: Date): string => date.toISOString()

const keys = { cluster: 'cluster', uid: 'uid', tokens: 'tokens' } as const

export const secretOf = ({ cluster, uid, tokens }: TokenRecord): KubeSecret & { metadata: { name: string } } => ({
  metadata: { name: tokenSecretName(cluster), labels: { ...managedBy, [webhookTokenLabel]: labelOf(cluster) } },
  type: `${ownDomain}/webhook-token`,
  data: secretData({
    [keys.cluster]: cluster,
    ...(uid !== undefined && { [keys.uid]: uid }),
    [keys.tokens]: JSON.stringify(tokens),
  }),
})

/** For people who look for it; the name itself is in the Secret, whole. */
const labelOf = (cluster: string): string =>
  /^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/.test(cluster) ? cluster : tokenSecretName(cluster).slice(-32)

/** Undefined where the Secret is not one that `secretOf` makes: a Secret of another name speaks for no cluster. */
export function recordOf({ metadata, data = {} }: KubeSecret): TokenRecord | undefined {
  const cluster = textOf(data, keys.cluster)
  if (cluster === undefined || metadata?.name !== tokenSecretName(cluster)) return undefined
  const [uid, tokens] = [textOf(data, keys.uid), parsed(textOf(data, keys.tokens) ?? '')]
  return tokens && { cluster, ...(uid !== undefined && { uid }), tokens }
}

function parsed(text: string): TokenDigest[] | undefined {
  try {
    const tokens: unknown = JSON.parse(text)
    return Array.isArray(tokens) && tokens.every(isDigest) ? tokens : undefined
  } catch {
    return undefined
  }
}

function isDigest(value: unknown): value is TokenDigest {
  if (typeof value !== 'object' || value === null) return false
  const { digest, issuedAt, until } = value as Record<string, unknown>
  const isDate = (text: unknown) => typeof text === 'string' && !Number.isNaN(Date.parse(text))
  return (
    typeof digest === 'string' &&
    /^[0-9a-f]{64}$/.test(digest) &&
    isDate(issuedAt) &&
    (until === undefined || isDate(until))
  )
}
