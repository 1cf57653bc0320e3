import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testAuthority } from '../../../test/support/control-plane/identities.ts'
import { seedConfigs } from '../../../test/support/seed-samples.ts'
import type { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import type { OidcAuth, OidcFromIdentityProvider } from '../../apis/breakglass/oidc-fields.ts'
import { newOnes, sentenceOf } from '../../fleet/mistake.ts'
import { configMistakes } from './check-config.ts'

type Spec = ClusterConfig['spec']

const ref = (name: string, key?: string) => ({ name, namespace: 'apps', ...(key !== undefined && { key }) })
const server = 'https://api.example.com:6443'
const aKubeconfig: Spec = { kubeconfigSecretRef: ref('kubeconfig') }
const direct: OidcAuth = {
  issuerURL: 'https://id.example.com/realms/a',
  clientID: 'hub',
  clientSecretRef: ref('client'),
  server,
}
const inherited: OidcFromIdentityProvider = { name: 'corp', server }
const anOidc = (changes: Partial<OidcAuth> = {}): Spec => ({ oidcAuth: { ...direct, ...changes } })
const anInherited = (changes: Partial<OidcFromIdentityProvider> = {}): Spec => ({
  oidcFromIdentityProvider: { ...inherited, ...changes },
})
const without = <T extends object>(object: T, ...keys: (keyof T)[]): T =>
  Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key as keyof T))) as T

const mistakesOf = (spec: Spec, name = 'west') => configMistakes({ metadata: { name }, spec })
const wrong = (spec: Spec): string | undefined => sentenceOf(mistakesOf(spec))
const fieldsOf = (spec: Spec): string[] => mistakesOf(spec).map(({ field }) => field)

test('every example of the description is taken as it stands', () => {
  for (const [shown, spec] of Object.entries(seedConfigs)) assert.equal(wrong(spec), undefined, shown)
})

test('there is exactly one block, and a message names the three of them', () => {
  for (const spec of [aKubeconfig, anOidc(), anInherited()]) assert.equal(wrong(spec), undefined)
  for (const none of [{}, { authType: 'OIDC' }, { authType: 'Kubeconfig' }] as Spec[]) {
    const message = wrong(none) ?? ''
    for (const block of ['kubeconfigSecretRef', 'oidcAuth', 'oidcFromIdentityProvider'])
      assert.ok(message.includes(block), message)
  }
  const pairs = [
    { ...aKubeconfig, ...anOidc() },
    { ...aKubeconfig, ...anInherited() },
    { ...anOidc(), ...anInherited() },
    { ...aKubeconfig, ...anOidc(), ...anInherited() },
  ]
  for (const two of pairs) assert.match(wrong(two) ?? '', /mutually exclusive/)
})

test('of all that can be said, exactly one block and no word against it is taken', () => {
  const blocks = { kubeconfig: aKubeconfig, oidc: anOidc(), inherited: anInherited() }
  const names = Object.keys(blocks) as (keyof typeof blocks)[]
  for (let chosen = 0; chosen < 2 ** names.length; chosen += 1)
    for (const authType of [undefined, 'Kubeconfig', 'OIDC'] as const) {
      const given = names.filter((_, index) => chosen & (1 << index))
      const spec: Spec = Object.assign({}, authType && { authType }, ...given.map((name) => blocks[name]))
      const means = given[0] === 'kubeconfig' ? 'Kubeconfig' : 'OIDC'
      const isGood = given.length === 1 && (authType === undefined || authType === means)
      assert.equal(wrong(spec) === undefined, isGood, `${given} ${authType}`)
      if (given.length === 1 && !isGood) assert.deepEqual(fieldsOf(spec), ['spec.authType'])
    }
})

test('addresses are https URLs without credentials, query and fragment', () => {
  const good = ['https://a', 'https://a.example:6443/path', 'https://[::1]:6443', 'https://10.0.0.1']
  const bad = [
    ...['http://a', 'https:a', 'https:///a', 'https://', 'a:6443', '', ' https://a', 'https://a b', 'https://a\n'],
    ...['https://u@a', 'https://u:p@a', 'https://a?b=c', 'https://a?', 'https://a#b', 'https://a#', 'https:\\\\a'],
    ...['https://a\\@b', 'https://a:99999', 'https://\u0000a'],
  ]
  for (const url of good) {
    assert.equal(wrong(anOidc({ server: url, issuerURL: url })), undefined, url)
    assert.equal(wrong(anInherited({ server: url })), undefined, url)
  }
  for (const url of bad) {
    assert.deepEqual(fieldsOf(anOidc({ server: url })), ['spec.oidcAuth.server'], url)
    assert.deepEqual(fieldsOf(anOidc({ issuerURL: url })), ['spec.oidcAuth.issuerURL'], url)
    assert.deepEqual(fieldsOf(anInherited({ server: url })), ['spec.oidcFromIdentityProvider.server'], url)
  }
  assert.ok(!wrong(anOidc({ server: 'https://u:hunter2@a' }))?.includes('hunter2'))
})

test('a client secret is needed unless there is a refresh token, and always for an exchange', () => {
  const public_ = without(direct, 'clientSecretRef')
  const at = 'spec.oidcAuth.clientSecretRef'
  assert.deepEqual(fieldsOf({ oidcAuth: public_ }), [at])
  assert.deepEqual(fieldsOf({ oidcAuth: { ...public_, refreshTokenSecretRef: ref('r') } }), [])
  const exchange = { enabled: true, subjectTokenSecretRef: ref('s') }
  assert.deepEqual(fieldsOf({ oidcAuth: { ...public_, refreshTokenSecretRef: ref('r'), tokenExchange: exchange } }), [
    at,
  ])
  assert.deepEqual(fieldsOf(anOidc({ tokenExchange: exchange })), [])
  assert.deepEqual(fieldsOf(anOidc({ refreshTokenSecretRef: ref('r') })), [])
  // What an IdentityProvider may lend is no mistake here; a secret and a refresh token at once are one.
  assert.deepEqual(fieldsOf(anInherited({ tokenExchange: exchange })), [])
  assert.deepEqual(fieldsOf(anInherited({ clientSecretRef: ref('c'), refreshTokenSecretRef: ref('r') })), [
    'spec.oidcFromIdentityProvider.refreshTokenSecretRef',
  ])
})

test('an exchange needs a token to exchange', () => {
  for (const [spec, at] of [
    [anOidc({ tokenExchange: { enabled: true } }), 'spec.oidcAuth'],
    [anInherited({ tokenExchange: { enabled: true } }), 'spec.oidcFromIdentityProvider'],
  ] as const)
    assert.deepEqual(fieldsOf(spec), [`${at}.tokenExchange.subjectTokenSecretRef`])
  for (const off of [{}, { enabled: false }]) assert.deepEqual(fieldsOf(anOidc({ tokenExchange: off })), [])
})

test('what is about a refresh token needs one, and its successor a key of its own', () => {
  const at = 'spec.oidcAuth.rotatedRefreshTokenKey'
  const keyed = (rotatedRefreshTokenKey: string, key?: string) =>
    fieldsOf(anOidc({ rotatedRefreshTokenKey, refreshTokenSecretRef: ref('r', key) }))
  assert.deepEqual(fieldsOf(anOidc({ rotatedRefreshTokenKey: 'next' })), [at])
  assert.deepEqual(fieldsOf(anOidc({ fallbackPolicy: 'Warn' })), ['spec.oidcAuth.fallbackPolicy'])
  assert.deepEqual(fieldsOf(anOidc({ fallbackPolicy: 'Warn', refreshTokenSecretRef: ref('r') })), [])
  assert.deepEqual([keyed('token'), keyed('first', 'first'), keyed('no key')], [[at], [at], [at]])
  assert.deepEqual([keyed('next'), keyed('token', 'first'), keyed('next', '')], [[], [], []])
})

test('who vouches for the issuer is given as certificates', async () => {
  const at = ['spec.oidcAuth.certificateAuthority']
  const authority = await testAuthority('ca')
  const { certPem, keyPem } = { ...authority, keyPem: authority.keyPem.reveal() }
  assert.deepEqual(fieldsOf(anOidc({ certificateAuthority: certPem })), [])
  assert.deepEqual(fieldsOf(anOidc({ certificateAuthority: `${certPem}\n${certPem}` })), [])
  for (const pem of ['nonsense', certPem.slice(0, -40), Buffer.from(certPem).toString('base64'), keyPem])
    assert.deepEqual(fieldsOf(anOidc({ certificateAuthority: pem })), at)
  assert.ok(!wrong(anOidc({ certificateAuthority: keyPem }))?.includes(keyPem.split('\n')[1] ?? 'x'))
})

test('scopes are single words, each once', () => {
  assert.deepEqual(fieldsOf(anOidc({ scopes: ['groups', 'email', 'api://x/.default'] })), [])
  assert.deepEqual(fieldsOf(anOidc({ scopes: ['groups', 'email', 'groups'] })), ['spec.oidcAuth.scopes[2]'])
  for (const scope of ['', 'a b', 'a"', 'ä', 'a\\b'])
    assert.deepEqual(fieldsOf(anOidc({ scopes: ['groups', scope] })), ['spec.oidcAuth.scopes[1]'])
})

test('domains of approvers are domains', () => {
  const at = (domain: string) => fieldsOf({ ...aKubeconfig, allowedApproverDomains: ['example.com', domain] })
  assert.deepEqual(at('sub.example.com'), [])
  for (const domain of ['@example.com', 'a@example.com', '', 'a b'])
    assert.deepEqual(at(domain), ['spec.allowedApproverDomains[1]'])
})

test('references are such as a Secret can have', () => {
  assert.deepEqual(fieldsOf({ kubeconfigSecretRef: { name: 'a.b-c', namespace: 'n', key: 'a.b_c-D' } }), [])
  for (const kubeconfigSecretRef of [
    { name: 'A', namespace: 'n' },
    { name: '../x', namespace: 'n' },
    { name: 'a', namespace: 'n.m' },
    { name: 'a', namespace: 'n/secrets' },
    { name: 'a', namespace: 'n', key: 'a b' },
    { name: 'a', namespace: 'n', key: 'a/b' },
  ])
    assert.deepEqual(fieldsOf({ kubeconfigSecretRef }), ['spec.kubeconfigSecretRef'])
  const everywhere = anOidc({
    caSecretRef: ref('A'),
    clientSecretRef: ref('A'),
    refreshTokenSecretRef: ref('A'),
    tokenExchange: { enabled: true, subjectTokenSecretRef: ref('A'), actorTokenSecretRef: ref('A') },
  })
  assert.equal(fieldsOf(everywhere).length, 5)
})

test('a name leaves room for the Secret that is kept beside', () => {
  assert.deepEqual(mistakesOf(aKubeconfig, 'a'.repeat(245)), [])
  assert.equal(mistakesOf(aKubeconfig, 'a'.repeat(246))[0]?.field, 'metadata.name')
})

test('all mistakes are told at once, and only those that are new', () => {
  const old = anOidc({ server: 'http://a', issuerURL: 'http://b' })
  assert.deepEqual(fieldsOf(old).sort(), ['spec.oidcAuth.issuerURL', 'spec.oidcAuth.server'])
  assert.match(wrong(old) ?? '', /spec\.oidcAuth\.server: .*\. spec\.oidcAuth\.issuerURL: /)
  const now = anOidc({ server: 'http://a', issuerURL: 'http://c' })
  const told = newOnes(mistakesOf(now), mistakesOf(old)).map(({ field }) => field)
  assert.deepEqual(told, ['spec.oidcAuth.issuerURL'])
  assert.deepEqual(newOnes(mistakesOf(old), mistakesOf(old)), [])
})
