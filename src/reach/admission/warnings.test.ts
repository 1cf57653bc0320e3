import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seedConfigs, seedProvider } from '../../../test/support/seed-samples.ts'
import type { OidcAuth, OidcFromIdentityProvider } from '../../apis/breakglass/oidc-fields.ts'
import type { ConfigSpec } from './secret-refs.ts'
import { configWarnings, providerWarnings, severalWarnings } from './warnings.ts'

const ref = (name: string) => ({ name, namespace: 'apps' })
const direct: OidcAuth = {
  issuerURL: 'https://id.example.com',
  clientID: 'hub',
  server: 'https://api.example.com',
  clientSecretRef: ref('client'),
  caSecretRef: ref('ca'),
}
const fieldsOf = (warnings: readonly string[]) => warnings.map((warning) => warning.split(':')[0])
const warned = (spec: ConfigSpec, trustsOnFirstUse = true) =>
  fieldsOf(configWarnings(spec, { trustsOnFirstUse, provider: seedProvider }))
const oidc = (changes: Partial<OidcAuth>, trustsOnFirstUse = true) =>
  warned({ oidcAuth: { ...direct, ...changes } }, trustsOnFirstUse)
const untrusting: OidcAuth = (({ caSecretRef: _, ...rest }) => rest)(direct)

test('whoever skips verification is warned, and so is whoever leaves trust to the first use', () => {
  assert.deepEqual(oidc({}), [])
  assert.deepEqual(oidc({ insecureSkipTLSVerify: true }), ['spec.oidcAuth.insecureSkipTLSVerify'])
  const first = ['spec.oidcAuth.caSecretRef']
  assert.deepEqual(warned({ oidcAuth: untrusting }), first)
  assert.deepEqual(warned({ oidcAuth: untrusting }, false), [])
  assert.deepEqual(warned({ oidcAuth: { ...untrusting, allowTOFU: true } }, false), first)
  assert.deepEqual(warned({ oidcAuth: { ...untrusting, allowTOFU: false } }), [])
  assert.deepEqual(warned({ kubeconfigSecretRef: ref('kubeconfig') }), [])
})

test('whoever writes what has no effect is told', () => {
  assert.deepEqual(oidc({ tokenExchange: {} }), ['spec.oidcAuth.tokenExchange.enabled'])
  assert.deepEqual(oidc({ tokenExchange: { enabled: true } }), [])
  const { clientSecretRef: _, ...public_ } = direct
  const refreshed = { ...public_, refreshTokenSecretRef: ref('refresh') }
  assert.deepEqual(warned({ oidcAuth: { ...refreshed, fallbackPolicy: 'Warn' } }), ['spec.oidcAuth.fallbackPolicy'])
  assert.deepEqual(warned({ oidcAuth: { ...refreshed, fallbackPolicy: 'None' } }), [])
  assert.deepEqual(warned({ kubeconfigSecretRef: ref('k'), constrainedImpersonation: {} }), [
    'spec.constrainedImpersonation',
  ])
})

test('a client that is used with the secret of another one is told', () => {
  const from: OidcFromIdentityProvider = { name: 'corp-keycloak', server: 'https://api', caSecretRef: ref('ca') }
  const inherited = (changes: Partial<OidcFromIdentityProvider>) =>
    warned({ oidcFromIdentityProvider: { ...from, ...changes } })
  assert.deepEqual(inherited({}), [])
  assert.deepEqual(inherited({ clientID: 'other' }), ['spec.oidcFromIdentityProvider.clientID'])
  assert.deepEqual(inherited({ clientID: 'breakglass-service' }), [])
  assert.deepEqual(inherited({ clientID: 'other', clientSecretRef: ref('own') }), [])
})

test('an IdentityProvider is taken as the description shows it, with a word on what that means', () => {
  assert.deepEqual(fieldsOf(providerWarnings(seedProvider)), ['spec.groupSyncProvider', 'spec.oidc.expectedAudience'])
  const complete = structuredClone(seedProvider)
  Object.assign(complete.spec ?? {}, { groupSyncProvider: 'Keycloak' })
  Object.assign(complete.spec?.oidc ?? {}, { expectedAudience: 'ui' })
  assert.deepEqual(providerWarnings(complete), [])
  Object.assign(complete.spec ?? {}, { primary: true })
  assert.deepEqual(fieldsOf(providerWarnings(complete)), ['spec.primary'])
})

test('F9i: a second provider is taken with a word on what mail addresses and groups are then good for', () => {
  const other = { ...seedProvider, metadata: { name: 'partner', uid: 'p', resourceVersion: '1' } }
  const own = { ...seedProvider, metadata: { name: 'corp' } }
  assert.deepEqual(severalWarnings(own, []), [])
  assert.deepEqual(severalWarnings({ ...own, metadata: { name: 'partner' } }, [other]), [], 'itself')
  const told = severalWarnings(own, [other])
  assert.equal(told.length, 2)
  for (const warning of told) assert.ok(warning.length <= 256, warning)
  Object.assign(other, { spec: { ...other.spec, disabled: true } })
  assert.deepEqual(severalWarnings(own, [other]), [])
})

test('F9m: who disables the second last identity provider is told what the last one may say from then on', () => {
  const enabled = (name: string) => ({ ...seedProvider, metadata: { name, uid: name, resourceVersion: '1' } })
  const leaving = enabled('corp')
  Object.assign(leaving, { spec: { ...leaving.spec, disabled: true } })
  const [told = '', ...more] = severalWarnings(leaving, [enabled('corp'), enabled('partner')])
  assert.match(told, /partner is the only identity provider then/)
  assert.deepEqual(more, [])
  assert.ok(told.length <= 256, told)
  assert.deepEqual(severalWarnings(leaving, [enabled('corp')]), [])
  assert.deepEqual(severalWarnings(leaving, [enabled('corp'), enabled('partner'), enabled('third')]), [])
})

test('no warning is longer than API servers pass on', () => {
  const long = 'a'.repeat(40)
  const specs: ConfigSpec[] = [
    ...Object.values(seedConfigs),
    { oidcAuth: { ...untrusting, tokenExchange: {}, fallbackPolicy: 'Warn' } },
    { oidcFromIdentityProvider: { name: long, server: 'https://a', clientID: long, insecureSkipTLSVerify: true } },
  ]
  const warnings = specs.flatMap((spec) => configWarnings(spec, { trustsOnFirstUse: true, provider: seedProvider }))
  for (const warning of [...warnings, ...providerWarnings(seedProvider)]) assert.ok(warning.length <= 256, warning)
})
