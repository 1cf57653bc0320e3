import type { IdentityProvider } from '../../apis/breakglass/identity-provider.ts'
import type { Reason } from '../../core/reason.ts'
import type { OidcWay, TokenSource } from '../../fleet/spoke/contract.ts'
import { secretKeys } from '../../fleet/spoke/names.ts'
import type { TokenDeps } from '../../fleet/spoke/oidc/index.ts'
import { tokenSources } from '../../fleet/spoke/oidc/index.ts'
import { secrets } from '../../kube/kinds.ts'
import type { Kube } from '../../kube/kube.ts'
import type { Stored } from '../../kube/objects.ts'
import { durationOr } from '../duration.ts'
import type { GroupSource } from './contract.ts'
import { keycloakGroups } from './keycloak.ts'
import { keycloakApi } from './keycloak-api.ts'
import { reasons } from './reasons.ts'

type Keycloak = NonNullable<NonNullable<IdentityProvider['spec']>['keycloak']>

/** Why groups cannot be read, seen before anybody is asked. */
export interface Flaw {
  readonly reason: Reason
  readonly message: string
}

export const keycloakTtlMs = ({ spec }: IdentityProvider): number =>
  Math.max(1_000, durationOr(spec?.keycloak?.cacheTTL, 600_000))

/** Asked by the object alone. */
export function flawOf({ spec }: IdentityProvider): Flaw | undefined {
  if (spec?.groupSyncProvider !== 'Keycloak')
    return { reason: reasons.UnknownProvider, message: `${spec?.groupSyncProvider} is not known; Keycloak is` }
  const { keycloak } = spec
  if (!keycloak) return { reason: reasons.KeycloakMissing, message: 'spec.keycloak is missing' }
  const missing = (['baseURL', 'realm', 'clientID'] as const).filter((field) => !keycloak[field])
  if (missing.length > 0)
    return { reason: reasons.KeycloakIncomplete, message: `spec.keycloak lacks ${missing.join(', ')}` }
  const { name, namespace } = keycloak.clientSecretRef ?? {}
  return name && namespace
    ? undefined
    : { reason: reasons.ClientSecretRefInvalid, message: 'spec.keycloak.clientSecretRef needs a name and a namespace' }
}

/** Asked by its Secret. */
export async function secretFlawOf(kube: Kube, keycloak: Keycloak, signal: AbortSignal): Promise<Flaw | undefined> {
  const { namespace, name, key } = keycloak.clientSecretRef
  const found = await kube.of(secrets, namespace).find(name, { signal })
  const where = `Secret ${namespace}/${name}`
  if (!found) return { reason: reasons.SecretNotFound, message: `${where} is not there` }
  const keys = key ? [key] : secretKeys.clientSecret
  const present = keys.filter((one) => found.data?.[one] !== undefined)
  if (present.length === 0)
    return { reason: reasons.SecretKeyNotFound, message: `${where} has no key ${keys.join(' or ')}` }
  const isEmpty = present.every(
    (one) =>
      Buffer.from(found.data?.[one] ?? '', 'base64')
        .toString()
        .trim() === '',
  )
  return isEmpty
    ? { reason: reasons.SecretKeyEmpty, message: `${where} holds nothing under ${present.join(' or ')}` }
    : undefined
}

/** How groups of an IdentityProvider are read. Tokens are asked for as they are for clusters. */
export function groupSources(deps: TokenDeps): (provider: Stored<IdentityProvider>) => GroupSource {
  const tokens = tokenSources(deps)
  return (provider) => {
    const { keycloak } = provider.spec ?? {}
    if (!keycloak) throw new Error(`${provider.metadata.name} has no Keycloak`)
    const { name } = provider.metadata
    const baseUrl = keycloak.baseURL.replace(/\/+$/, '')
    const source: TokenSource = tokens.of(wayInto(keycloak, baseUrl))
    const timeoutMs = Math.max(100, durationOr(keycloak.requestTimeout, 10_000))
    const ca = keycloak.certificateAuthority || undefined
    return keycloakGroups(
      keycloakApi({ provider: name, baseUrl, realm: keycloak.realm, ca, timeoutMs }, source, deps),
      name,
    )
  }
}

function wayInto({ realm, clientID, clientSecretRef, certificateAuthority }: Keycloak, baseUrl: string): OidcWay {
  const { namespace, name, key } = clientSecretRef
  return {
    by: 'OIDC',
    server: baseUrl,
    issuer: `${baseUrl}/realms/${encodeURIComponent(realm)}`,
    ...(certificateAuthority && { issuerCa: certificateAuthority }),
    clientId: clientID,
    clientSecret: {
      namespace,
      name,
      keys: key ? [key] : secretKeys.clientSecret,
      field: 'spec.keycloak.clientSecretRef',
    },
    fallback: 'None',
    scopes: [],
    trust: { insecure: false },
  }
}
