import type { JWTPayload } from 'jose'
import { errors, jwtVerify } from 'jose'
import type { Clock } from '../../core/clock.ts'
import { after } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import type { Secret } from '../../core/secret.ts'
import type { Authenticator, Identity, Verdict } from './contract.ts'
import { expiringCache, fingerprint } from './expiring-cache.ts'
import type { KeyFor } from './jwks.ts'
import { KeysAway } from './jwks.ts'
import { unverifiedClaims } from './unverified.ts'

/** Whose tokens are taken, and how they are checked. */
export interface KnownIssuer {
  /** The `iss` of its tokens, exactly. */
  readonly issuer: string
  /** What `aud` must contain. */
  readonly audience: string
  /** By name, and asymmetric ones only: `none` and a public key taken for an HMAC secret are the classic ways in. */
  readonly algorithms: readonly string[]
  readonly keys: KeyFor
  /** Undefined: the token does not say who it is for in the way that is asked for. */
  identityOf(claims: JWTPayload): Identity | undefined
}

export interface JwtDeps {
  clock: Clock
  log: Log
  /** Told of tokens of a known issuer that were not taken. */
  onRefused?(from: KnownIssuer, why: 'wrong' | 'expired'): void
}

/** A key that its issuer withdrew counts for this long at most in tokens that were seen before. */
const longestCachedMs = 300_000
const clockToleranceSeconds = 5
/** No issuer is called anything longer: what is, is not even looked up. */
const longestIssuer = 512

/**
 * Tokens of the issuers that are known at the moment, found by their `iss`. What was verified is remembered for as long
 * as the very same issuer is found: one that changed is another one.
 */
export function issuerAuthenticator(find: (issuer: string) => KnownIssuer | undefined, deps: JwtDeps): Authenticator {
  const { clock } = deps
  const verified = expiringCache<{ identity: Identity; from: KnownIssuer }>(clock)
  return async (token) => {
    const issuer = unverifiedClaims(token.reveal())?.['iss']
    const from = typeof issuer === 'string' && issuer.length <= longestIssuer ? find(issuer) : undefined
    if (!from) return undefined
    const key = fingerprint(token)
    const seen = verified.get(key)
    if (seen?.from === from) return { identity: seen.identity }
    const verdict = await verify(token, from, deps)
    if ('identity' in verdict)
      verified.set(key, { ...verdict, from }, cachedUntil(verdict.identity.claims, clock.now()))
    else if (verdict.refused === 'wrong' || verdict.refused === 'expired') deps.onRefused?.(from, verdict.refused)
    return verdict
  }
}

async function verify(token: Secret, from: KnownIssuer, { clock, log }: JwtDeps): Promise<Verdict> {
  try {
    const { payload } = await jwtVerify(token.reveal(), from.keys, {
      issuer: from.issuer,
      audience: from.audience,
      algorithms: [...from.algorithms],
      requiredClaims: ['exp'],
      clockTolerance: clockToleranceSeconds,
      currentDate: clock.now(),
    })
    const identity = from.identityOf(payload)
    return identity ? { identity } : { refused: 'wrong' }
  } catch (error) {
    if (error instanceof KeysAway) {
      log.warn({ err: error, issuer: from.issuer }, 'a token cannot be checked')
      return { refused: 'unavailable' }
    }
    return { refused: error instanceof errors.JWTExpired ? 'expired' : 'wrong' }
  }
}

function cachedUntil(claims: Identity['claims'], now: Date): Date {
  const expiresAt = new Date(Number(claims['exp']) * 1_000)
  const longest = after(now, longestCachedMs)
  return expiresAt < longest ? expiresAt : longest
}
