import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { IdentityProvider } from '../../apis/breakglass/identity-provider.ts'
import type { OidcAuth } from '../../apis/breakglass/oidc-fields.ts'
import { providerAnnotations } from '../../fleet/names.ts'
import { askedOf, decideRights } from '../../fleet/secret-rights.ts'
import type { Kube } from '../../kube/kube.ts'
import type { ConfigSpec } from './secret-refs.ts'
import {
  askedOfConfirmation,
  askedOfVouching,
  isSameProvider,
  providerSecretsPutToUse,
  redirectsSecrets,
  secretsPutToUse,
  secretsSentTo,
} from './secret-rights.ts'

const ref = (name: string) => ({ name, namespace: 'apps' })
const oidc: OidcAuth = {
  issuerURL: 'https://id.example.com',
  clientID: 'hub',
  server: 'https://api.example.com',
  clientSecretRef: ref('client'),
  caSecretRef: ref('ca'),
  refreshTokenSecretRef: ref('refresh'),
  tokenExchange: { subjectTokenSecretRef: ref('subject'), actorTokenSecretRef: ref('actor') },
}
const all = ['client', 'ca', 'refresh', 'subject', 'actor']
const provider = (spec: Partial<NonNullable<IdentityProvider['spec']>> = {}): IdentityProvider => ({
  metadata: { name: 'corp' },
  spec: {
    oidc: { authority: 'https://id.example.com', clientID: 'ui' },
    keycloak: { baseURL: 'https://id', realm: 'a', clientID: 'service', clientSecretRef: ref('keycloak') },
    ...spec,
  },
})

const used = (spec: ConfigSpec, old?: ConfigSpec) => secretsPutToUse(spec, old, provider()).map(({ ref }) => ref.name)
const written = (changes: Partial<OidcAuth>) =>
  secretsPutToUse({ oidcAuth: { ...oidc, ...changes } }, undefined)
    .filter(({ isWrittenUnless }) => isWrittenUnless !== undefined)
    .map(({ ref }) => ref.name)

test('a new object puts all its Secrets to use, and one that stays puts none', () => {
  assert.deepEqual(used({ kubeconfigSecretRef: ref('kubeconfig') }), ['kubeconfig'])
  assert.deepEqual(used({ oidcAuth: oidc }), all)
  assert.deepEqual(used({ oidcAuth: oidc, qps: 5 }, { oidcAuth: structuredClone(oidc) }), [])
})

test('whatever changes in a block may send its secrets elsewhere, so all of them count', () => {
  const changes: Partial<OidcAuth>[] = [
    { issuerURL: 'https://evil.example.com' },
    { server: 'https://evil.example.com' },
    { insecureSkipTLSVerify: true },
    { certificateAuthority: 'PEM' },
    { clientSecretRef: ref('client2') },
    { audience: 'other' },
  ]
  for (const change of changes)
    assert.deepEqual(used({ oidcAuth: { ...oidc, ...change } }, { oidcAuth: oidc }), [
      change.clientSecretRef ? 'client2' : 'client',
      ...all.slice(1),
    ])
  assert.deepEqual(used({ kubeconfigSecretRef: ref('kubeconfig') }, { oidcAuth: oidc }), ['kubeconfig'])
})

test('the secret that an IdentityProvider lends is put to use as well', () => {
  const from = { name: 'corp', server: 'https://api.example.com' }
  assert.deepEqual(used({ oidcFromIdentityProvider: from }), ['keycloak'])
  assert.deepEqual(used({ oidcFromIdentityProvider: { ...from, clientSecretRef: ref('own') } }), ['own'])
  assert.deepEqual(used({ oidcFromIdentityProvider: from }, { oidcFromIdentityProvider: { ...from } }), [])
  assert.deepEqual(
    used({ oidcFromIdentityProvider: from }, { oidcFromIdentityProvider: { ...from, server: 'https://before' } }),
    ['keycloak'],
  )
})

test('the hub writes where it keeps a CA that it trusts on first use, or the successor of a token', () => {
  assert.deepEqual(written({}), ['ca'])
  assert.deepEqual(written({ allowTOFU: false }), [])
  assert.deepEqual(written({ insecureSkipTLSVerify: true }), [])
  assert.deepEqual(written({ allowTOFU: false, rotatedRefreshTokenKey: 'next' }), ['refresh'])
})

test('the secret of an IdentityProvider counts when it, or where it goes, changes', () => {
  const of = (next: IdentityProvider, old?: IdentityProvider) =>
    providerSecretsPutToUse(next, old).map(({ ref }) => ref.name)
  assert.deepEqual(of(provider()), ['keycloak'])
  assert.deepEqual(of(provider({ disabled: true }), provider()), [])
  assert.deepEqual(of(provider({ oidc: { authority: 'https://evil', clientID: 'ui' } }), provider()), ['keycloak'])
  assert.deepEqual(of(provider(), provider({ disabled: true })), ['keycloak'])
  assert.deepEqual(of({ metadata: { name: 'corp' } }), [])
})

test('an IdentityProvider that moves, comes or comes back takes the secrets of others along', () => {
  const at = (changes: object) =>
    provider({ oidc: { authority: 'https://id.example.com', clientID: 'ui', ...changes } })
  assert.ok(redirectsSecrets(provider(), undefined))
  assert.ok(redirectsSecrets(at({ authority: 'https://evil' }), provider()))
  assert.ok(redirectsSecrets(at({ certificateAuthority: 'PEM' }), provider()))
  const { keycloak: _, ...without } = provider().spec ?? assert.fail()
  assert.ok(redirectsSecrets({ ...provider(), spec: without }, provider()))
  assert.ok(redirectsSecrets(provider(), provider({ disabled: true })))
  assert.ok(!redirectsSecrets(provider({ disabled: true }), provider()))
  assert.ok(!redirectsSecrets(at({ expectedAudience: 'other' }), provider()))
})

test('F12i: a change of issuer needs the right to what ClusterConfigs send there, and the refusal names none of it; a CA is not sent', async () => {
  const { issuerURL: _, clientID: __, ...block } = oidc
  const config = (name: string, from: string) => ({
    metadata: { name, namespace: 'fleet', uid: name, resourceVersion: '1' },
    spec: { oidcFromIdentityProvider: { ...block, name: from } },
  })
  const sent = secretsSentTo('corp', [config('west', 'corp'), config('east', 'other')])
  assert.deepEqual(
    sent.map(({ ref }) => ref.name),
    ['client', 'refresh', 'subject', 'actor'],
  )
  const kube = { of: () => ({ create: async () => ({ status: { allowed: false } }) }) } as unknown as Kube
  const { signal } = new AbortController()
  const verdict = await decideRights(kube, { username: 'mallory' }, sent.flatMap(askedOf), signal)
  assert.deepEqual(verdict, {
    allowed: false,
    code: 403,
    message:
      'spec: user "mallory" lacks the right to get each Secret that ClusterConfigs send to this issuer, which the hub would read for them; an administrator of the hub can grant it',
  })
})

test('a confirmed fingerprint asks for the Secret that it would replace, when it or that Secret is another', () => {
  const config = (confirmed: string | undefined, spec: ConfigSpec) => ({
    metadata: {
      ...{ name: 'west', namespace: 'fleet' },
      ...(confirmed !== undefined && { annotations: { 'lanyard.io/trusted-fingerprint': confirmed } }),
    },
    spec,
  })
  const { caSecretRef: _, ...beside } = oidc
  const asks = (...given: Parameters<typeof askedOfConfirmation>) =>
    askedOfConfirmation(...given).map(({ right: { verb, namespace, name } }) => `${verb} ${namespace}/${name}`)
  const [none, plain, named] = [
    config(undefined, { oidcAuth: beside }),
    config('AB', { oidcAuth: beside }),
    config('AB', { oidcAuth: { ...oidc, allowTOFU: false } }),
  ]
  assert.deepEqual(asks(plain, none), ['update fleet/west-tofu-ca'])
  assert.deepEqual(asks(plain, undefined), ['update fleet/west-tofu-ca'])
  assert.deepEqual(asks(config('CD', { oidcAuth: beside }), plain), ['update fleet/west-tofu-ca'])
  assert.deepEqual(asks(named, plain), ['update apps/ca'])
  assert.deepEqual(asks(none, plain), [])
  assert.deepEqual(asks(plain, config('AB', { oidcAuth: beside, qps: 5 })), [])
  assert.deepEqual(asks(config('AB', { kubeconfigSecretRef: ref('kubeconfig') }), undefined), [])
})

test('each right is asked for once, and of too many only that to all Secrets', async () => {
  const asked: (string | undefined)[] = []
  const kube = {
    of: () => ({
      create: async ({ spec }: { spec: { resourceAttributes: { name: string } } }) => {
        asked.push(spec.resourceAttributes.name)
        return { status: { allowed: false } }
      },
    }),
  } as unknown as Kube
  const decide = (count: number) => {
    asked.length = 0
    const wanted = Array.from({ length: count }, (_, index) => ({ field: `f${index}`, ref: ref(`s${index}`) }))
    const { signal } = new AbortController()
    return decideRights(kube, { username: 'mallory' }, [...wanted, ...wanted].flatMap(askedOf), signal)
  }
  assert.equal((await decide(100)).allowed, false)
  assert.equal(asked.length, 100)
  const verdict = await decide(101)
  assert.deepEqual(asked, [''])
  assert.match(JSON.stringify(verdict), /f0 and more: user .*mallory.* lacks the right to get secrets, which is asked/)
})

test('F5i: rights to anything else than Secrets are each asked about, however many there are', async () => {
  const kube = { of: () => ({ create: async () => ({ status: { allowed: false } }) }) } as unknown as Kube
  const wanted = Array.from({ length: 101 }, (_, index) => ({
    field: `f${index}`,
    right: { verb: 'bind', group: 'g', resource: 'escalatedgroups', name: 'admins', namespace: `c${index}` },
    because: 'of what it gives',
  }))
  const { signal } = new AbortController()
  assert.equal((await decideRights(kube, { username: 'mallory' }, wanted, signal)).allowed, false)
})

test('what an annotation makes of mail addresses and groups is a change of who vouches for whom, and no other annotation is', () => {
  const before = provider()
  const annotated = (name: string, value: string): IdentityProvider => ({
    ...before,
    metadata: { ...before.metadata, annotations: { [name]: value } },
  })
  for (const name of Object.values(providerAnnotations))
    for (const [changed, old] of [
      [annotated(name, 'true'), before],
      [before, annotated(name, 'true')],
      [annotated(name, 'a:'), annotated(name, 'b:')],
    ] as const) {
      assert.equal(isSameProvider(changed, old), false)
      assert.deepEqual(
        askedOfVouching(changed, old).map(({ right }) => right.verb),
        ['escalate'],
      )
    }
  assert.equal(isSameProvider(annotated('example.com/note', 'x'), before), true)
})
