import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import type { IdentityProvider } from '../../apis/breakglass/identity-provider.ts'
import type { OidcAuth } from '../../apis/breakglass/oidc-fields.ts'
import type { OidcWay } from './contract.ts'
import { clusterIdOf, secretsOf, wayOf } from './way.ts'

type Spec = ClusterConfig['spec']

const ref = (name: string, key?: string) => ({ namespace: 'hub', name, ...(key && { key }) })
const server = 'https://west.example.com:6443'
const issuer = 'https://idp.example.com/realms/fleet'
const oidcAuth: OidcAuth = { issuerURL: issuer, clientID: 'hub', clientSecretRef: ref('client'), server }

const provider = (spec: Partial<NonNullable<IdentityProvider['spec']>> = {}): IdentityProvider => ({
  metadata: { name: 'corp' },
  spec: { oidc: { authority: issuer, clientID: 'people' }, ...spec },
})
const keycloak = {
  baseURL: 'https://idp.example.com',
  realm: 'fleet',
  clientID: 'service',
  clientSecretRef: ref('keycloak'),
}

const way = (spec: Spec, found?: IdentityProvider) => wayOf({ spec }, (name) => (name === 'corp' ? found : undefined))
const oidcWay = (spec: Spec, found?: IdentityProvider) => way(spec, found) as OidcWay
const inherited = (spec: Partial<NonNullable<Spec['oidcFromIdentityProvider']>>, found: IdentityProvider) =>
  oidcWay({ oidcFromIdentityProvider: { name: 'corp', server, ...spec } }, found)

test('a kubeconfig is read under the key that is given, or else under the two there may be', () => {
  const field = 'spec.kubeconfigSecretRef'
  assert.deepEqual(way({ kubeconfigSecretRef: ref('west') }), {
    by: 'Kubeconfig',
    kubeconfig: { namespace: 'hub', name: 'west', keys: ['value', 'kubeconfig'], field },
  })
  assert.deepEqual(way({ authType: 'Kubeconfig', kubeconfigSecretRef: ref('west', 'kc2') }), {
    by: 'Kubeconfig',
    kubeconfig: { namespace: 'hub', name: 'west', keys: ['kc2'], field },
  })
})

test('OIDC needs no authType, and what is not said has a default', () => {
  assert.deepEqual(way({ oidcAuth }), {
    by: 'OIDC',
    server,
    issuer,
    clientId: 'hub',
    clientSecret: {
      namespace: 'hub',
      name: 'client',
      keys: ['client-secret', 'value'],
      field: 'spec.oidcAuth.clientSecretRef',
    },
    fallback: 'Auto',
    scopes: [],
    trust: { insecure: false },
  })
})

test('what is said of OIDC is passed on', () => {
  const found = oidcWay({
    authType: 'OIDC',
    oidcAuth: {
      ...oidcAuth,
      certificateAuthority: 'PEM',
      audience: 'kubernetes',
      scopes: ['groups'],
      caSecretRef: ref('ca'),
      insecureSkipTLSVerify: true,
      allowTOFU: false,
      refreshTokenSecretRef: ref('offline'),
      rotatedRefreshTokenKey: 'rotated',
      fallbackPolicy: 'Warn',
      tokenExchange: { enabled: true, subjectTokenSecretRef: ref('subject'), actorTokenSecretRef: ref('actor', 'jwt') },
    },
  })
  assert.deepEqual(
    [found.issuerCa, found.audience, found.scopes, found.fallback, found.refresh?.rotatedKey],
    ['PEM', 'kubernetes', ['groups'], 'Warn', 'rotated'],
  )
  assert.deepEqual([found.trust.insecure, found.trust.firstUse, found.trust.secret?.keys], [true, false, ['ca.crt']])
  const accessToken = 'urn:ietf:params:oauth:token-type:access_token'
  assert.deepEqual(
    [found.exchange?.subjectType, found.exchange?.requestedType, found.exchange?.actorType],
    [accessToken, accessToken, accessToken],
  )
  assert.deepEqual([found.exchange?.subject.keys, found.exchange?.actor?.keys], [['token'], ['jwt']])
  assert.deepEqual(
    secretsOf(found).map(({ name }) => name),
    ['client', 'offline', 'subject', 'actor', 'ca'],
  )
})

test('of an exchange that is not enabled nothing counts', () => {
  const found = oidcWay({ oidcAuth: { ...oidcAuth, tokenExchange: { subjectTokenSecretRef: ref('subject') } } })
  assert.equal(found.exchange, undefined)
})

test('from an IdentityProvider comes what is not said here', () => {
  const corp = provider({ oidc: { authority: issuer, clientID: 'people', certificateAuthority: 'PEM' }, keycloak })
  const found = inherited({}, corp)
  assert.deepEqual([found.issuer, found.issuerCa, found.clientId], [issuer, 'PEM', 'service'])
  assert.deepEqual(found.clientSecret, {
    namespace: 'hub',
    name: 'keycloak',
    keys: ['client-secret', 'value'],
    field: 'spec.keycloak.clientSecretRef of IdentityProvider corp',
  })
  assert.equal(inherited({ clientSecretRef: ref('own') }, provider()).clientId, 'people')
  assert.equal(inherited({ clientSecretRef: ref('own') }, corp).clientSecret?.name, 'own')
})

test('a client that is named here stays, also with the secret of the provider', () => {
  const found = inherited({ clientID: 'own' }, provider({ keycloak }))
  assert.deepEqual([found.clientId, found.clientSecret?.name], ['own', 'keycloak'])
})

test('a public client may have a refresh token and nothing else', () => {
  const { clientSecretRef: _, ...open } = oidcAuth
  assert.equal(oidcWay({ oidcAuth: { ...open, refreshTokenSecretRef: ref('offline') } }).clientSecret, undefined)
})

const { clientSecretRef: _, ...withoutSecret } = oidcAuth
const refused: [what: string, spec: Spec, code: string, message: RegExp][] = [
  ['nothing', {}, 'SPOKE_INVALID', /^spec: give one of kubeconfigSecretRef, oidcAuth and oidcFromIdentityProvider$/],
  ['two blocks', { kubeconfigSecretRef: ref('a'), oidcAuth }, 'SPOKE_INVALID', /^spec.kubeconfigSecretRef: must not/],
  [
    'both ways of OIDC',
    { oidcAuth, oidcFromIdentityProvider: { name: 'corp', server } },
    'SPOKE_INVALID',
    /^spec.oidcAuth: must not/,
  ],
  ['OIDC without a block', { authType: 'OIDC' }, 'SPOKE_NO_OIDC', /oidcAuth or spec.oidcFromIdentityProvider/],
  ['OIDC with a kubeconfig', { authType: 'OIDC', kubeconfigSecretRef: ref('a') }, 'SPOKE_NO_OIDC', /authType is OIDC/],
  ['Kubeconfig with OIDC', { authType: 'Kubeconfig', oidcAuth }, 'SPOKE_INVALID', /^spec.authType: is Kubeconfig/],
  ['Kubeconfig without one', { authType: 'Kubeconfig' }, 'SPOKE_INVALID', /^spec: give one of/],
  ['no client', { oidcAuth: { ...oidcAuth, clientID: '' } }, 'SPOKE_INVALID', /^spec.oidcAuth.clientID: is missing/],
  ['no secret', { oidcAuth: withoutSecret }, 'SPOKE_INVALID', /^spec.oidcAuth.clientSecretRef: is missing$/],
  [
    'an exchange without a secret',
    {
      oidcAuth: {
        ...withoutSecret,
        refreshTokenSecretRef: ref('offline'),
        tokenExchange: { enabled: true, subjectTokenSecretRef: ref('subject') },
      },
    },
    'SPOKE_INVALID',
    /^spec.oidcAuth.clientSecretRef: is missing; a token exchange needs it$/,
  ],
  [
    'an exchange of nothing',
    { oidcAuth: { ...oidcAuth, tokenExchange: { enabled: true } } },
    'SPOKE_INVALID',
    /^spec.oidcAuth.tokenExchange.subjectTokenSecretRef: is missing/,
  ],
  [
    'a successor in the place of the first token',
    { oidcAuth: { ...oidcAuth, refreshTokenSecretRef: ref('offline'), rotatedRefreshTokenKey: 'token' } },
    'SPOKE_INVALID',
    /^spec.oidcAuth.rotatedRefreshTokenKey: is the key of the first token/,
  ],
  [
    'http',
    { oidcAuth: { ...oidcAuth, server: 'http://west' } },
    'SPOKE_INVALID',
    /^spec.oidcAuth.server: must be an https/,
  ],
  [
    'a password in a URL',
    { oidcAuth: { ...oidcAuth, issuerURL: 'https://me:canary@idp' } },
    'SPOKE_INVALID',
    /^spec.oidcAuth.issuerURL: must not hold a user or a password$/,
  ],
  [
    'a provider that is not there',
    { oidcFromIdentityProvider: { name: 'other', server } },
    'SPOKE_PROVIDER_UNUSABLE',
    /IdentityProvider other does not exist$/,
  ],
]
for (const [what, spec, code, message] of refused)
  test(`refused: ${what}`, () => assert.throws(() => way(spec), { code, message }))

test('a provider that is disabled, or says nothing, is not used', () => {
  const code = 'SPOKE_PROVIDER_UNUSABLE'
  assert.throws(() => inherited({}, provider({ disabled: true, keycloak })), { code, message: /corp is disabled$/ })
  assert.throws(() => inherited({}, { metadata: { name: 'corp' } }), { code, message: /corp has no spec.oidc$/ })
})

test('a cluster that has no id is known by its name', () => {
  assert.equal(clusterIdOf({ metadata: { name: 'west' }, spec: {} }), 'west')
  assert.equal(clusterIdOf({ metadata: { name: 'west' }, spec: { clusterID: 'acme-west-1' } }), 'acme-west-1')
})
