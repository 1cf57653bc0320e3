import type { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import type { IdentityProvider } from '../../apis/breakglass/identity-provider.ts'
import type { OidcAuth, OidcFromIdentityProvider } from '../../apis/breakglass/oidc-fields.ts'
import type { OidcWay, SecretKey, Way } from './contract.ts'
import { failures } from './failures.ts'
import { secretKeys } from './names.ts'
import { keyOfReference, refuse } from './way-checks.ts'
import { exchangeOf, requireClientSecret, requireHttps } from './way-oidc.ts'

type Spec = ClusterConfig['spec']
type Named = (name: string) => IdentityProvider | undefined
/** Who the hub is, and to whom: what the two ways to say it differ in. */
type Client = Pick<OidcWay, 'issuer' | 'issuerCa' | 'clientId' | 'clientSecret'>

/** Decides how the hub gets in. Throws one of `failures.ts`. */
export function wayOf(config: Pick<ClusterConfig, 'spec'>, providerNamed: Named): Way {
  const { spec } = config
  mustAgree(spec)
  if (spec.oidcAuth) return oidcWay(spec.oidcAuth, 'spec.oidcAuth', clientOf(spec.oidcAuth))
  if (spec.oidcFromIdentityProvider) {
    const block = spec.oidcFromIdentityProvider
    return oidcWay(block, 'spec.oidcFromIdentityProvider', clientFrom(block, providerNamed))
  }
  const kubeconfig = keyOfReference(spec.kubeconfigSecretRef, 'spec.kubeconfigSecretRef', secretKeys.kubeconfig)
  if (!kubeconfig) throw refuse('spec.kubeconfigSecretRef', 'is missing')
  return { by: 'Kubeconfig', kubeconfig }
}

/** Every Secret that the way depends on, for whoever watches them. */
export function secretsOf(way: Way): SecretKey[] {
  if (way.by === 'Kubeconfig') return [way.kubeconfig]
  const { clientSecret, refresh, exchange, trust } = way
  const all = [clientSecret, refresh?.token, exchange?.subject, exchange?.actor, trust.secret]
  return all.filter((secret) => secret !== undefined)
}

/** How others know the cluster. */
export const clusterIdOf = ({ metadata, spec }: ClusterConfig): string => spec.clusterID || (metadata?.name ?? '')

/** Exactly one block, and `authType`, where it is given, names it. */
function mustAgree({ authType, kubeconfigSecretRef, oidcAuth, oidcFromIdentityProvider }: Spec): void {
  const oidc = oidcAuth ?? oidcFromIdentityProvider
  if (kubeconfigSecretRef && oidc)
    throw refuse('spec.kubeconfigSecretRef', 'must not be given together with oidcAuth or oidcFromIdentityProvider')
  if (oidcAuth && oidcFromIdentityProvider)
    throw refuse('spec.oidcAuth', 'must not be given together with oidcFromIdentityProvider')
  if (authType === 'OIDC' && !oidc) throw failures.SPOKE_NO_OIDC()
  if (authType === 'Kubeconfig' && oidc) throw refuse('spec.authType', 'is Kubeconfig, and what is given is OIDC')
  if (!kubeconfigSecretRef && !oidc)
    throw refuse('spec', 'give one of kubeconfigSecretRef, oidcAuth and oidcFromIdentityProvider')
}

function clientOf({ issuerURL, certificateAuthority, clientID, clientSecretRef }: OidcAuth): Client {
  const clientSecret = keyOfReference(clientSecretRef, 'spec.oidcAuth.clientSecretRef', secretKeys.clientSecret)
  if (!clientID) throw refuse('spec.oidcAuth.clientID', 'is missing')
  return {
    issuer: requireHttps(issuerURL, 'spec.oidcAuth.issuerURL'),
    ...(certificateAuthority && { issuerCa: certificateAuthority }),
    clientId: clientID,
    ...(clientSecret && { clientSecret }),
  }
}

/** A client that is named here stays the client, also where its secret is the provider's. */
function clientFrom(block: OidcFromIdentityProvider, providerNamed: Named): Client {
  const found = providerNamed(block.name)
  const unusable = (problem: string) => failures.SPOKE_PROVIDER_UNUSABLE({ provider: block.name, problem })
  if (!found) throw unusable('does not exist')
  if (found.spec?.disabled) throw unusable('is disabled')
  if (!found.spec?.oidc) throw unusable('has no spec.oidc')
  const { oidc, keycloak } = found.spec
  const clientSecret =
    keyOfReference(block.clientSecretRef, 'spec.oidcFromIdentityProvider.clientSecretRef', secretKeys.clientSecret) ??
    keyOfReference(
      keycloak?.clientSecretRef,
      `spec.keycloak.clientSecretRef of IdentityProvider ${block.name}`,
      secretKeys.clientSecret,
    )
  return {
    issuer: requireHttps(oidc.authority, `spec.oidc.authority of IdentityProvider ${block.name}`),
    ...(oidc.certificateAuthority && { issuerCa: oidc.certificateAuthority }),
    clientId: block.clientID || keycloak?.clientID || oidc.clientID,
    ...(clientSecret && { clientSecret }),
  }
}

function oidcWay(block: OidcAuth | OidcFromIdentityProvider, field: string, client: Client): OidcWay {
  const token = keyOfReference(block.refreshTokenSecretRef, `${field}.refreshTokenSecretRef`, secretKeys.token)
  const rotatedKey = block.rotatedRefreshTokenKey
  if (token && rotatedKey && token.keys.includes(rotatedKey))
    throw refuse(`${field}.rotatedRefreshTokenKey`, 'is the key of the first token, which must stay')
  const exchange = exchangeOf(block.tokenExchange, `${field}.tokenExchange`)
  if (!client.clientSecret)
    requireClientSecret(field, { refresh: token !== undefined, exchange: exchange !== undefined })
  const authority = keyOfReference(block.caSecretRef, `${field}.caSecretRef`, secretKeys.ca)
  return {
    by: 'OIDC',
    server: requireHttps(block.server, `${field}.server`),
    ...client,
    ...(token && { refresh: { token, ...(rotatedKey && { rotatedKey }) } }),
    fallback: block.fallbackPolicy ?? 'Auto',
    ...(exchange && { exchange }),
    ...(block.audience && { audience: block.audience }),
    scopes: block.scopes ?? [],
    trust: {
      ...(authority && { secret: authority }),
      insecure: block.insecureSkipTLSVerify ?? false,
      ...(block.allowTOFU !== undefined && { firstUse: block.allowTOFU }),
    },
  }
}
