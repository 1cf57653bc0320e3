import type { IdentityProvider } from '../../apis/breakglass/identity-provider.ts'
import type { Clock } from '../../core/clock.ts'
import { isObject } from '../../core/schema/schema.ts'
import type { issuerFetches } from '../spoke/oidc/index.ts'
import type { KeyFor } from './jwks.ts'
import { keptKeys } from './kept-keys.ts'

export type ProviderFetches = ReturnType<typeof issuerFetches>

type Spec = NonNullable<IdentityProvider['spec']>

/** The `iss` of its tokens. */
export const issuerOf = ({ issuer, oidc }: Spec): string => issuer ?? oidc.authority

/** The keys of an IdentityProvider: where it says they are, or where its discovery document does. */
export function providerKeys(spec: Spec, fetches: ProviderFetches, clock: Pick<Clock, 'now'>): KeyFor {
  const { authority, jwksEndpoint, certificateAuthority } = spec.oidc
  const fetch = fetches(certificateAuthority)
  const read = async (url: string): Promise<Record<string, unknown>> => {
    const answer = await fetch(url, { method: 'GET', headers: { accept: 'application/json' } })
    if (answer.status !== 200) throw new Error(`it answered with status ${answer.status}`)
    const found: unknown = await answer.json()
    if (!isObject(found)) throw new Error('its answer is not an object')
    return found
  }
  const discovered = async (): Promise<string> => {
    const found = await read(`${authority.replace(/\/$/, '')}/.well-known/openid-configuration`)
    // Another issuer's document would make another issuer's keys good here.
    if (found['issuer'] !== authority && found['issuer'] !== issuerOf(spec))
      throw new Error('its discovery document is that of another issuer')
    const uri = found['jwks_uri']
    if (typeof uri !== 'string' || URL.parse(uri)?.protocol !== 'https:')
      throw new Error('it does not say where its keys are')
    return uri
  }
  return keptKeys(async () => await read(jwksEndpoint ?? (await discovered())), clock)
}
