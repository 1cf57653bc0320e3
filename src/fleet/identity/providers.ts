import type { JWTPayload } from 'jose'
import type { IdentityProvider } from '../../apis/breakglass/identity-provider.ts'
import type { Clock } from '../../core/clock.ts'
import type { Informer } from '../../kube/informer.ts'
import type { Stored } from '../../kube/objects.ts'
import type { Identity } from './contract.ts'
import type { KnownIssuer } from './known-issuer.ts'
import type { ProviderFetches } from './provider-keys.ts'
import { issuerOf, providerKeys } from './provider-keys.ts'

const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512']

export interface ProviderDeps {
  clock: Pick<Clock, 'now'>
  fetches: ProviderFetches
}

/** The issuers that IdentityProviders stand for at the moment. One that two of them claim is nobody's. */
export function providerIssuers(
  providers: Pick<Informer<IdentityProvider>, 'on'>,
  deps: ProviderDeps,
): (issuer: string) => KnownIssuer | undefined {
  const present = new Map<string, { issuer: string; spec: string; known: KnownIssuer }>()
  let byIssuer = new Map<string, KnownIssuer | undefined>()

  const forget = (uid: string) => present.delete(uid)
  const take = (provider: Stored<IdentityProvider>) => {
    const { metadata, spec } = provider
    if (!spec || spec.disabled || metadata.deletionTimestamp !== undefined) return forget(metadata.uid)
    const text = JSON.stringify(spec)
    // Its status changes all the time, and nothing of it counts here.
    if (present.get(metadata.uid)?.spec === text) return
    present.set(metadata.uid, { issuer: issuerOf(spec), spec: text, known: knownIssuer(metadata.name, spec, deps) })
  }
  providers.on(({ type, object }) => {
    if (type === 'deleted') forget(object.metadata.uid)
    else take(object)
    byIssuer = new Map()
    for (const { issuer, known } of present.values()) byIssuer.set(issuer, byIssuer.has(issuer) ? undefined : known)
  })
  return (issuer) => byIssuer.get(issuer)
}

const knownIssuer = (
  provider: string,
  spec: NonNullable<IdentityProvider['spec']>,
  { fetches, clock }: ProviderDeps,
): KnownIssuer => ({
  issuer: issuerOf(spec),
  audience: spec.oidc.expectedAudience ?? spec.oidc.clientID,
  algorithms,
  keys: providerKeys(spec, fetches, clock),
  identityOf: (claims) => identityOf(claims, provider),
})

/** By what others know them best. A mail address that its provider does not vouch for is nobody's name. */
function identityOf(claims: JWTPayload, provider: string): Identity | undefined {
  const { email, preferred_username: username, sub } = claims
  const name = [isMailVouchedFor(claims) ? email : undefined, username, sub].find(isName)
  return name === undefined ? undefined : { name, kind: 'jwt', claims, provider }
}

/** Some providers send a word for it. Where one says nothing of it, that is all it says. */
export const isMailVouchedFor = ({ email_verified: isVerified }: JWTPayload): boolean =>
  isVerified === undefined || isVerified === true || isVerified === 'true'

/** What may stand for a person: no control characters, and not of any length. */
export const isName = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= 256 && !/\p{Cc}/u.test(value)
