import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testAuthority } from '../../../test/support/control-plane/identities.ts'
import { seedProvider } from '../../../test/support/seed-samples.ts'
import type { IdentityProvider } from '../../apis/breakglass/identity-provider.ts'
import { sentenceOf } from '../../fleet/mistake.ts'
import { issuerOf, issuerTaken, providerMistakes } from './check-provider.ts'

type Spec = NonNullable<IdentityProvider['spec']>
const oidc: Spec['oidc'] = { authority: 'https://id.example.com', clientID: 'ui' }
const keycloak: NonNullable<Spec['keycloak']> = {
  baseURL: 'https://id.example.com',
  realm: 'a',
  clientID: 'service',
  clientSecretRef: { name: 'secret', namespace: 'apps' },
}
const fieldsOf = (changes: Partial<Spec>): string[] =>
  providerMistakes({ metadata: { name: 'corp' }, spec: { oidc, ...changes } }).map(({ field }) => field)

test('the example of the description is taken as it stands', () => {
  assert.deepEqual(providerMistakes(seedProvider), [])
})

test('nothing is taken that trusts anybody', () => {
  assert.deepEqual(fieldsOf({ oidc: { ...oidc, insecureSkipVerify: true } }), ['spec.oidc.insecureSkipVerify'])
  assert.deepEqual(fieldsOf({ keycloak: { ...keycloak, insecureSkipVerify: true } }), [
    'spec.keycloak.insecureSkipVerify',
  ])
  assert.deepEqual(fieldsOf({ oidc: { ...oidc, insecureSkipVerify: false } }), [])
})

test('addresses are https URLs; only that of the keys may have a query', () => {
  for (const url of ['http://a', 'https://', 'https://u:p@a', 'https://a#b', 'https://a b']) {
    assert.deepEqual(fieldsOf({ oidc: { ...oidc, authority: url } }), ['spec.oidc.authority'], url)
    assert.deepEqual(fieldsOf({ oidc: { ...oidc, jwksEndpoint: url } }), ['spec.oidc.jwksEndpoint'], url)
    assert.deepEqual(fieldsOf({ issuer: url }), ['spec.issuer'], url)
    assert.deepEqual(fieldsOf({ keycloak: { ...keycloak, baseURL: url } }), ['spec.keycloak.baseURL'], url)
  }
  assert.deepEqual(fieldsOf({ oidc: { ...oidc, jwksEndpoint: 'https://a/keys?appid=1' } }), [])
  assert.deepEqual(fieldsOf({ oidc: { ...oidc, authority: 'https://a?b' } }), ['spec.oidc.authority'])
})

test('groups from Keycloak need to know where it is, but not the other way round', () => {
  assert.deepEqual(fieldsOf({ groupSyncProvider: 'Keycloak' }), ['spec.keycloak'])
  assert.deepEqual(fieldsOf({ groupSyncProvider: 'Keycloak', keycloak }), [])
  assert.deepEqual(fieldsOf({ keycloak }), [])
})

test('certificates, durations and references are what they say they are', async () => {
  const { certPem } = await testAuthority('ca')
  const given = (certificateAuthority: string) =>
    fieldsOf({ oidc: { ...oidc, certificateAuthority }, keycloak: { ...keycloak, certificateAuthority } })
  assert.deepEqual(given(certPem), [])
  assert.deepEqual(given('nonsense'), ['spec.oidc.certificateAuthority', 'spec.keycloak.certificateAuthority'])
  const lasting = (duration: string) =>
    fieldsOf({ keycloak: { ...keycloak, cacheTTL: duration, requestTimeout: duration } })
  for (const duration of ['10m', '1h30m', '500ms', '0h1s']) assert.deepEqual(lasting(duration), [])
  for (const duration of ['0s', '0h0m'])
    assert.deepEqual(lasting(duration), ['spec.keycloak.cacheTTL', 'spec.keycloak.requestTimeout'])
  assert.deepEqual(fieldsOf({ keycloak: { ...keycloak, clientSecretRef: { name: 'A', namespace: 'n' } } }), [
    'spec.keycloak.clientSecretRef',
  ])
})

test('one without a spec says nothing', () => {
  assert.match(sentenceOf(providerMistakes({ metadata: { name: 'corp' } })) ?? '', /^spec\.oidc: is required/)
})

test('an issuer belongs to one provider, whichever field it comes from', () => {
  const named = (name: string, spec: Partial<Spec> = {}): IdentityProvider => ({
    metadata: { name },
    spec: { oidc, ...spec },
  })
  const taken = (provider: IdentityProvider, ...others: IdentityProvider[]) =>
    issuerTaken(provider, others).map(({ field }) => field)
  assert.equal(issuerOf(named('a')), 'https://id.example.com')
  assert.deepEqual(taken(named('a'), named('a')), [])
  assert.deepEqual(taken(named('b'), named('a')), ['spec.oidc.authority'])
  assert.deepEqual(taken(named('b', { issuer: 'https://id.example.com' }), named('a')), ['spec.issuer'])
  assert.deepEqual(taken(named('b', { issuer: 'https://other' }), named('a')), [])
  // Compared whole, as tokens are.
  assert.deepEqual(taken(named('b', { issuer: 'https://id.example.com/' }), named('a')), [])
  assert.deepEqual(taken({ metadata: { name: 'b' } }, { metadata: { name: 'a' } }), [])
})
