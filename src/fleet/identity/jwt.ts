import type { JWTPayload } from 'jose'
import type { Clock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import type { Authenticator, Identity } from './contract.ts'
import { keysOf } from './jwks.ts'
import type { KnownIssuer } from './known-issuer.ts'
import { issuerAuthenticator } from './known-issuer.ts'
import { isMailVouchedFor } from './providers.ts'
import type { IssuerSettings } from './settings.ts'

const algorithms = ['RS256', 'ES256']

/** Tokens of the configured issuers. */
export function jwtAuthenticator(issuers: readonly IssuerSettings[], deps: { clock: Clock; log: Log }): Authenticator {
  const known = new Map(issuers.map((issuer) => [issuer.issuerUrl, knownIssuer(issuer)]))
  return issuerAuthenticator((issuer) => known.get(issuer), deps)
}

const knownIssuer = (settings: IssuerSettings): KnownIssuer => ({
  issuer: settings.issuerUrl,
  audience: settings.audience,
  algorithms,
  keys: keysOf(settings),
  identityOf: (claims) => identityOf(claims, settings),
})

function identityOf(claims: JWTPayload, settings: IssuerSettings): Identity | undefined {
  const { identityClaim, identityClaimPattern } = settings
  const name = claims[identityClaim]
  if (typeof name !== 'string' || name === '') return undefined
  if (identityClaim === 'email' && !isMailVouchedFor(claims)) return undefined
  const isFine = identityClaimPattern === undefined || new RegExp(`^(?:${identityClaimPattern})$`, 'u').test(name)
  return isFine ? { name, kind: 'jwt', claims } : undefined
}
