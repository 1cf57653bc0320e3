import { createHash } from 'node:crypto'
import { after } from '../core/clock.ts'
import type { Pass } from '../core/pass.ts'
import { Secret } from '../core/secret.ts'
import { serviceAccounts } from '../kube/kinds.ts'
import type { Kube } from '../kube/kube.ts'

/** What the token of a service account says of itself. */
export interface TokenClaims {
  readonly namespace: string
  readonly account: string
  readonly uid: string
  readonly issuedAt: Date
  readonly expiresAt: Date
}

/**
 * Reads a token without checking who signed it: good for a comparison with what is on record, and for nothing else.
 * Undefined for what is no token of a service account.
 */
export function readClaims(token: Secret): TokenClaims | undefined {
  const [header, payload, signature, ...rest] = token.reveal().split('.')
  if (!header || !payload || !signature || rest.length > 0) return undefined
  try {
    const { iat, exp, 'kubernetes.io': bound } = JSON.parse(Buffer.from(payload, 'base64url').toString())
    const { namespace, serviceaccount } = bound
    const { name: account, uid } = serviceaccount
    const isWhole = [namespace, account, uid].every((text) => typeof text === 'string' && text !== '')
    if (!isWhole || !Number.isSafeInteger(iat) || !Number.isSafeInteger(exp) || exp <= iat) return undefined
    return { namespace, account, uid, issuedAt: new Date(iat * 1_000), expiresAt: new Date(exp * 1_000) }
  } catch {
    return undefined
  }
}

export interface GrantedToken {
  readonly token: Secret
  readonly claims: TokenClaims
}

/** Undefined where the answer holds no token of this account. */
export async function requestToken(
  kube: Kube,
  { namespace, name, seconds }: { namespace: string; name: string; seconds: number },
  signal?: AbortSignal,
): Promise<GrantedToken | undefined> {
  const review = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: seconds },
  }
  const { status } = await kube
    .of(serviceAccounts, namespace)
    .createSubresource<object, { status?: { token?: string } }>(name, 'token', review, signal && { signal })
  const token = Secret.of(status?.token ?? '')
  const claims = readClaims(token)
  return claims?.namespace === namespace && claims.account === name ? { token, claims } : undefined
}

/** Identifies a token without giving it away. */
export const fingerprintOf = (token: Secret): string => createHash('sha256').update(token.reveal()).digest('hex')

/** The API server reads its clock twice, once for the token and once for what it says beside it. */
const roundingMs = 1_000

export const isSameMoment = (a: Date, b: Date): boolean => Math.abs(a.getTime() - b.getTime()) <= roundingMs

/**
 * When a token came, ends and is renewed by the clock of this machine, which may differ from the hub's. A record of a
 * receipt that is still to come was made before the clock was set back: then what the token says has to do.
 */
export function tokenDates(
  { issuedAt, expiresAt }: TokenClaims,
  recorded: Pick<Pass, 'issuedAt' | 'renewAt'> | undefined,
  now: Date,
): Pick<Pass, 'issuedAt' | 'expiresAt' | 'renewAt'> {
  if (!recorded || recorded.issuedAt > now) return { issuedAt, expiresAt }
  return { ...recorded, expiresAt: after(recorded.issuedAt, expiresAt.getTime() - issuedAt.getTime()) }
}
