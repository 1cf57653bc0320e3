import type { IdentityProvider } from '../../apis/breakglass/identity-provider.ts'
import { authorityProblem, durationProblem, refProblem, urlProblem } from '../../fleet/field-problems.ts'
import type { Mistake } from '../../fleet/mistake.ts'
import { mistake } from '../../fleet/mistake.ts'

type Spec = NonNullable<IdentityProvider['spec']>
type Look = (field: string, value: string | undefined, problemOf: (value: string) => string | undefined) => Mistake[]

/** The `iss` of its tokens. */
export const issuerOf = ({ spec }: IdentityProvider): string | undefined => spec?.issuer ?? spec?.oidc.authority

/** What is wrong with an IdentityProvider, as far as that can be said without asking anybody. */
export function providerMistakes({ spec }: IdentityProvider): Mistake[] {
  if (!spec) return [mistake('spec.oidc', 'is required: say where people log in')]
  const { oidc, keycloak } = spec
  return [
    ...look('spec.oidc.authority', oidc.authority, urlProblem),
    ...look('spec.oidc.jwksEndpoint', oidc.jwksEndpoint, (url) => urlProblem(url, { query: true })),
    ...look('spec.oidc.certificateAuthority', oidc.certificateAuthority, authorityProblem),
    ...insecure('spec.oidc', oidc),
    ...look('spec.issuer', spec.issuer, urlProblem),
    ...groupsWithoutSource(spec),
    ...(keycloak ? keycloakMistakes(keycloak) : []),
  ]
}

const keycloakMistakes = (keycloak: NonNullable<Spec['keycloak']>): Mistake[] => [
  ...look('spec.keycloak.baseURL', keycloak.baseURL, urlProblem),
  ...look('spec.keycloak.certificateAuthority', keycloak.certificateAuthority, authorityProblem),
  ...look('spec.keycloak.cacheTTL', keycloak.cacheTTL, durationProblem),
  ...look('spec.keycloak.requestTimeout', keycloak.requestTimeout, durationProblem),
  ...insecure('spec.keycloak', keycloak),
  ...present(refProblem(keycloak.clientSecretRef), 'spec.keycloak.clientSecretRef', keycloak.clientSecretRef),
]

const groupsWithoutSource = ({ groupSyncProvider, keycloak }: Spec): Mistake[] =>
  groupSyncProvider === 'Keycloak' && !keycloak
    ? [mistake('spec.keycloak', 'is required with groupSyncProvider Keycloak: say where groups are read')]
    : []

const insecure = (at: string, { insecureSkipVerify }: { insecureSkipVerify?: boolean }): Mistake[] =>
  insecureSkipVerify === true
    ? [mistake(`${at}.insecureSkipVerify`, 'must not be true; give certificateAuthority to trust a private CA')]
    : []

const look: Look = (field, value, problemOf) => (value ? present(problemOf(value), field, value) : [])

const present = (problem: string | undefined, field: string, value: unknown): Mistake[] =>
  problem === undefined ? [] : [mistake(field, problem, value)]

/** What another one has already: tokens say who they are from by their issuer, so two must not share one. */
export function issuerTaken(provider: IdentityProvider, others: readonly IdentityProvider[]): Mistake[] {
  const issuer = issuerOf(provider)
  const other = others.find((one) => one.metadata?.name !== provider.metadata?.name && issuerOf(one) === issuer)
  if (issuer === undefined || !other) return []
  const field = provider.spec?.issuer === undefined ? 'spec.oidc.authority' : 'spec.issuer'
  return [mistake(field, 'is the issuer of another IdentityProvider already; change that one instead')]
}
