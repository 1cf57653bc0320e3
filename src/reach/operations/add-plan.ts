import type { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import type { Secret } from '../../core/secret.ts'
import { spokeLabels } from '../../fleet/spoke/names.ts'

/** How the hub is to get into a cluster, as a person says it. */
export type ReachWish = {
  name: string
  namespace: string
  /** The ManagedCluster it leads into, where that has another name. */
  cluster?: string | undefined
} & (KubeconfigReach | OidcReach | ProviderReach)

export interface KubeconfigReach {
  by: 'kubeconfig'
  /** Self-contained. */
  kubeconfig: Secret
}

interface TokenReach {
  server: string
  clientSecret?: Secret | undefined
  /** PEM of who vouches for the API server. */
  ca?: string | undefined
  audience?: string | undefined
  scopes?: readonly string[] | undefined
}

export interface OidcReach extends TokenReach {
  by: 'oidc'
  issuer: string
  clientId: string
  /** PEM of who vouches for the issuer. */
  issuerCa?: string | undefined
}

export interface ProviderReach extends TokenReach {
  by: 'identity-provider'
  provider: string
  clientId?: string | undefined
}

export interface ReachPlan {
  /** Made before the ClusterConfig that names them. */
  readonly secrets: readonly { readonly name: string; readonly texts: Readonly<Record<string, Secret | string>> }[]
  readonly spec: ClusterConfig['spec']
  /** On all of it. */
  readonly labels: Readonly<Record<string, string>>
}

/** What is to be on the hub. Secrets have names of their own, so that what a person made is never written over. */
export function planReach(wish: ReachWish): ReachPlan {
  const { name, namespace, cluster } = wish
  const labels = { [spokeLabels.added]: name, ...(cluster !== undefined && { [spokeLabels.cluster]: cluster }) }
  const at = (suffix: string, key: string) => ({ name: `${name}-${suffix}`, namespace, key })
  if (wish.by === 'kubeconfig') {
    const kubeconfigSecretRef = at('kubeconfig', 'value')
    const secrets = [{ name: kubeconfigSecretRef.name, texts: { value: wish.kubeconfig } }]
    return { labels, secrets, spec: { authType: 'Kubeconfig', kubeconfigSecretRef } }
  }
  const { clientSecret, ca, audience, scopes } = wish
  const clientSecretRef = at('client-secret', 'client-secret')
  const caSecretRef = at('ca', 'ca.crt')
  const common = {
    server: wish.server,
    ...(clientSecret && { clientSecretRef }),
    ...(ca !== undefined && { caSecretRef }),
    ...(audience !== undefined && { audience }),
    ...(scopes && scopes.length > 0 && { scopes: [...scopes] }),
  }
  const secrets = [
    ...(clientSecret ? [{ name: clientSecretRef.name, texts: { 'client-secret': clientSecret } }] : []),
    ...(ca !== undefined ? [{ name: caSecretRef.name, texts: { 'ca.crt': ca } }] : []),
  ]
  return { labels, secrets, spec: { authType: 'OIDC', ...(wish.by === 'oidc' ? ownSpec(wish) : providerSpec(wish)) } }

  function ownSpec({ issuer, clientId, issuerCa }: OidcReach): Pick<ClusterConfig['spec'], 'oidcAuth'> {
    const certificateAuthority = issuerCa !== undefined && { certificateAuthority: issuerCa }
    return { oidcAuth: { issuerURL: issuer, clientID: clientId, ...certificateAuthority, ...common } }
  }

  function providerSpec({
    provider,
    clientId,
  }: ProviderReach): Pick<ClusterConfig['spec'], 'oidcFromIdentityProvider'> {
    return {
      oidcFromIdentityProvider: { name: provider, ...(clientId !== undefined && { clientID: clientId }), ...common },
    }
  }
}
