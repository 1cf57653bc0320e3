import type { ClusterConfig } from '../../src/apis/breakglass/cluster-config.ts'
import type { IdentityProvider } from '../../src/apis/breakglass/identity-provider.ts'

/** Every ClusterConfig and IdentityProvider that the description of the product shows, in facts: none of them may be refused. */

const issuerURL = 'https://keycloak.example.com/realms/kubernetes'
const server = 'https://my-cluster.example.com:6443'
const apiServer = 'https://my-cluster-api.example.com:6443'
const inSystem = (name: string, key?: string) => ({ name, namespace: 'breakglass-system', ...(key && { key }) })
const accessToken = 'urn:ietf:params:oauth:token-type:access_token'

/** What others refer to. */
export const seedProvider: IdentityProvider = {
  metadata: { name: 'corp-keycloak' },
  spec: {
    oidc: { authority: issuerURL, clientID: 'breakglass-ui' },
    keycloak: {
      baseURL: 'https://keycloak.example.com',
      realm: 'kubernetes',
      clientID: 'breakglass-service',
      clientSecretRef: inSystem('keycloak-credentials'),
    },
  },
}

/** Named in examples without being shown. */
export const mentionedProviders = ['my-keycloak-idp', 'azure-ad']

const exchange = {
  enabled: true,
  subjectTokenSecretRef: inSystem('service-account-token', 'token'),
  resource: server,
}

const spelledOut: ClusterConfig['spec'] = {
  authType: 'OIDC',
  oidcAuth: {
    issuerURL,
    clientID: 'breakglass-controller',
    clientSecretRef: inSystem('oidc-client-secret', 'client-secret'),
    server,
    caSecretRef: inSystem('cluster-ca', 'ca.crt'),
    audience: server,
    scopes: ['groups', 'email'],
    tokenExchange: exchange,
  },
  clusterID: 'my-cluster',
  identityProviderRefs: ['my-keycloak-idp'],
  qps: 100,
  burst: 200,
}

const classified = {
  clusterID: 't-caas-prod-eu-west-1',
  tenant: 'my-tenant',
  environment: 'prod',
  site: 'eu-west',
  location: 'eu-west-1',
}

/** By what they show. */
export const seedConfigs: Readonly<Record<string, ClusterConfig['spec']>> = {
  kubeconfig: {
    authType: 'Kubeconfig',
    kubeconfigSecretRef: { name: 'tenant-cluster-admin', namespace: 'default', key: 'value' },
    ...classified,
    qps: 100,
    burst: 200,
  },
  complete: {
    ...classified,
    kubeconfigSecretRef: { name: 'tenant-prod-admin', namespace: 'default' },
    qps: 100,
    burst: 200,
  },
  oidc: spelledOut,
  'oidc-short': {
    authType: 'OIDC',
    oidcAuth: {
      issuerURL,
      clientID: 'breakglass-controller',
      clientSecretRef: inSystem('oidc-client-secret', 'client-secret'),
      server: apiServer,
    },
  },
  inherited: { authType: 'OIDC', oidcFromIdentityProvider: { name: 'corp-keycloak', server: apiServer } },
  'inherited-own-client': {
    authType: 'OIDC',
    oidcFromIdentityProvider: {
      name: 'corp-keycloak',
      server: apiServer,
      clientID: 'cluster-auth-client',
      clientSecretRef: inSystem('cluster-oidc-secret'),
    },
  },
  exchange: {
    ...spelledOut,
    oidcAuth: {
      ...(spelledOut.oidcAuth as NonNullable<typeof spelledOut.oidcAuth>),
      tokenExchange: {
        ...exchange,
        subjectTokenType: accessToken,
        requestedTokenType: accessToken,
        actorTokenSecretRef: inSystem('controller-token', 'token'),
        actorTokenType: accessToken,
      },
    },
  },
  restricted: {
    kubeconfigSecretRef: { name: 'tenant-prod-admin', namespace: 'default' },
    identityProviderRefs: ['corp-keycloak', 'azure-ad'],
    userIdentifierClaim: 'email',
  },
  'restricted-to-all': {
    kubeconfigSecretRef: { name: 'tenant-prod-admin', namespace: 'default' },
    identityProviderRefs: [],
  },
}
