import type { JWTPayload } from 'jose'
import { errors, jwtVerify } from 'jose'
import type { Clock } from '../../core/clock.ts'
import { after } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import type { Secret } from '../../core/secret.ts'
import type { Authenticator, Identity, Verdict } from './contract.ts'
import { expiringCache, fingerprint } from './expiring-cache.ts'
import type { KeyFor } from './jwks.ts'
import { KeysAway, keysOf } from './jwks.ts'
import type { IssuerSettings } from './settings.ts'
import { unverifiedClaims } from './unverified.ts'

/** Asymmetric ones only, and by name: `none` and a public key taken for an HMAC secret are the classic ways in. */
const algorithms = ['RS256', 'ES256']
/** A key that its issuer withdrew counts for this long at most in tokens that were seen before. */
const longestCachedMs = 300_000
const clockToleranceSeconds = 5

/** Tokens of the configured issuers, found by their `iss`. */
export function jwtAuthenticator(
  issuers: readonly IssuerSettings[],
  { clock, log }: { clock: Clock; log: Log },
): Authenticator {
  const known = new Map(issuers.map((issuer) => [issuer.issuerUrl, { issuer, keys: keysOf(issuer) }]))
  const verified = expiringCache<Identity>(clock)
  return async (token) => {
    const claims = unverifiedClaims(token.reveal())
    const from = typeof claims?.['iss'] === 'string' ? known.get(claims['iss']) : undefined
    if (!from) return undefined
    const key = fingerprint(token)
    const seen = verified.get(key)
    if (seen) return { identity: seen }
    const verdict = await verify(token, from, clock, log)
    if ('identity' in verdict) verified.set(key, verdict.identity, cachedUntil(verdict.identity.claims, clock.now()))
    return verdict
  }
}

async function verify(
  token: Secret,
  { issuer, keys }: { issuer: IssuerSettings; keys: KeyFor },
  clock: Clock,
  log: Log,
): Promise<Verdict> {
  try {
    const { payload } = await jwtVerify(token.reveal(), keys, {
      issuer: issuer.issuerUrl,
      audience: issuer.audience,
      algorithms,
      requiredClaims: ['exp'],
      clockTolerance: clockToleranceSeconds,
      currentDate: clock.now(),
    })
    const name = nameOf(payload, issuer)
    return name === undefined ? { refused: 'wrong' } : { identity: { name, kind: 'jwt', claims: payload } }
  } catch (error) {
    if (error instanceof KeysAway) {
      log.warn({ err: error, issuer: issuer.issuerUrl }, 'a token cannot be checked')
      return { refused: 'unavailable' }
    }
    return { refused: error instanceof errors.JWTExpired ? 'expired' : 'wrong' }
  }
}

/** Undefined: it does not say who it is for in the way that the configuration asks for. */
function nameOf(payload: JWTPayload, { identityClaim, identityClaimPattern }: IssuerSettings): string | undefined {
  const name = payload[identityClaim]
  if (typeof name !== 'string' || name === '') return undefined
  if (identityClaim === 'email' && payload['email_verified'] === false) return undefined
  const isFine = identityClaimPattern === undefined || new RegExp(`^(?:${identityClaimPattern})$`, 'u').test(name)
  return isFine ? name : undefined
}

function cachedUntil(claims: Identity['claims'], now: Date): Date {
  const expiresAt = new Date(Number(claims['exp']) * 1_000)
  const longest = after(now, longestCachedMs)
  return expiresAt < longest ? expiresAt : longest
}
