import type { JWTPayload } from 'jose'
import type { IdentityProvider } from '../../apis/breakglass/identity-provider.ts'
import type { Clock } from '../../core/clock.ts'
import type { Informer } from '../../kube/informer.ts'
import type { Stored } from '../../kube/objects.ts'
import { providerAnnotations } from '../names.ts'
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
  const present = new Map<string, Present>()
  let byIssuer = new Map<string, KnownIssuer | undefined>()

  const forget = (uid: string) => present.delete(uid)
  const take = (provider: Stored<IdentityProvider>) => {
    const { metadata, spec } = provider
    if (!spec || spec.disabled || metadata.deletionTimestamp !== undefined) return forget(metadata.uid)
    const isMailTrusted = metadata.annotations?.[providerAnnotations.mailTrusted] === 'true'
    const text = JSON.stringify([spec, isMailTrusted])
    // Its status changes all the time, and nothing of it counts here.
    if (present.get(metadata.uid)?.text === text) return
    const known = knownIssuer(metadata.name, spec, deps)
    present.set(metadata.uid, { name: metadata.name, text, isMailTrusted, impliesMail: undefined, known })
  }
  providers.on(({ type, object }) => {
    if (type === 'deleted') forget(object.metadata.uid)
    else take(object)
    byIssuer = new Map()
    for (const each of present.values()) {
      // Another issuer, so that what was read out of a token before is read again.
      const impliesMail = each.isMailTrusted || present.size === 1
      if (each.impliesMail !== impliesMail)
        each.known = { ...each.known, identityOf: (claims) => identityOf(claims, each.name, impliesMail) }
      each.impliesMail = impliesMail
      const { issuer } = each.known
      byIssuer.set(issuer, byIssuer.has(issuer) ? undefined : each.known)
    }
  })
  return (issuer) => byIssuer.get(issuer)
}

interface Present {
  readonly name: string
  /** What counts of it. */
  readonly text: string
  readonly isMailTrusted: boolean
  /** Whether a token of it that does not say `email_verified` vouches for the address in it. */
  impliesMail: boolean | undefined
  known: KnownIssuer
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
  identityOf: (claims) => identityOf(claims, provider, false),
})

/**
 * By what others know them best. A mail address that its provider does not vouch for is nobody's name: of several
 * providers, one of which may let people write what they like, each has to say so, in the token or by its annotation.
 */
function identityOf(claims: JWTPayload, provider: string, impliesMail: boolean): Identity | undefined {
  const { email: claimed, preferred_username: username, sub, email_verified: isVerified } = claims
  const isVouchedFor = isMailVouchedFor(claims) && (isVerified !== undefined || impliesMail)
  const email = isVouchedFor && isName(claimed) ? claimed : undefined
  const name = [email, username, sub].find(isName)
  return name === undefined ? undefined : { name, kind: 'jwt', claims, provider, ...(email !== undefined && { email }) }
}

/** Some providers send a word for it. Where one says nothing of it, that is all it says. */
export const isMailVouchedFor = ({ email_verified: isVerified }: JWTPayload): boolean =>
  isVerified === undefined || isVerified === true || isVerified === 'true'

/** What may stand for a person: no control characters, and not of any length. */
export const isName = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= 256 && !/\p{Cc}/u.test(value)
