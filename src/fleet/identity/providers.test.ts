import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JWK } from 'jose'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import type { IdentityProvider } from '../../apis/breakglass/identity-provider.ts'
import { silentLog } from '../../core/log.ts'
import { Secret } from '../../core/secret.ts'
import type { Handler } from '../../kube/informer.ts'
import type { Stored } from '../../kube/objects.ts'
import { providerAnnotations } from '../names.ts'
import type { Verdict } from './contract.ts'
import { issuerAuthenticator } from './known-issuer.ts'
import { providerIssuers } from './providers.ts'

type Spec = NonNullable<IdentityProvider['spec']>
const { signal } = new AbortController()
const told = (verdict: Verdict | undefined) =>
  verdict && ('identity' in verdict ? `${verdict.identity.provider}: ${verdict.identity.name}` : verdict.refused)

/** Providers that a test puts there and takes away, and the keys behind them. */
async function scene(alg = 'ES256') {
  const clock = new FakeClock(new Date('2026-01-01T00:00:00Z'))
  const keys: JWK[] = []
  const asked: string[] = []
  let handler: Handler<IdentityProvider> = () => {}
  const state = { isAway: false, refused: [] as string[] }
  const fetches = () => async (url: string) => {
    asked.push(url)
    if (state.isAway) return new Response(null, { status: 503 })
    const issuer = url.replace('/.well-known/openid-configuration', '')
    return Response.json(url.endsWith('configuration') ? { issuer, jwks_uri: `${issuer}/keys` } : { keys })
  }
  const on = (given: Handler<IdentityProvider>) => {
    handler = given
    return { [Symbol.dispose]: () => {} }
  }
  const find = providerIssuers({ on }, { clock, fetches })
  const onRefused = (_: unknown, why: string) => void state.refused.push(why)
  const authenticate = issuerAuthenticator(find, { clock, log: silentLog, onRefused })
  let pair = await generateKeyPair(alg)
  const addKey = async () => {
    pair = await generateKeyPair(alg)
    keys.push({ ...(await exportJWK(pair.publicKey)), kid: `k${keys.length}`, alg, use: 'sig' })
  }
  await addKey()
  const provider = (
    name: string,
    spec: Partial<Spec> = {},
    annotations: Record<string, string> = {},
  ): Stored<IdentityProvider> => ({
    metadata: { name, uid: `uid-${name}`, resourceVersion: '1', annotations },
    spec: { oidc: { authority: `https://${name}.example.com`, clientID: 'us' }, ...spec },
  })
  return {
    clock,
    asked,
    state,
    addKey,
    put: (name: string, spec?: Partial<Spec>, annotations?: Record<string, string>) =>
      handler({ type: 'added', object: provider(name, spec, annotations) }),
    remove: (name: string) => handler({ type: 'deleted', object: provider(name) }),
    token: async (issuer: string, claims: Record<string, unknown> = {}) => {
      const exp = Math.floor(clock.now().getTime() / 1_000) + 7_200
      const all = { iss: `https://${issuer}.example.com`, aud: 'us', exp, email: 'a@example.com', sub: '1', ...claims }
      return Secret.of(
        await new SignJWT(all).setProtectedHeader({ alg, kid: `k${keys.length - 1}` }).sign(pair.privateKey),
      )
    },
    ask: async (token: Secret) => told(await authenticate(token, signal)),
  }
}

for (const alg of ['RS384', 'PS256', 'PS512', 'ES384', 'ES512'])
  test(`a token signed by ${alg} is taken`, async () => {
    const { put, ask, token } = await scene(alg)
    put('one')
    assert.equal(await ask(await token('one')), 'one: a@example.com')
  })

test('F9f: of several providers a mail address counts where the token says so, or where the provider is trusted with it', async () => {
  const { put, remove, ask, token } = await scene()
  const named = async (claims: Record<string, unknown>) => ask(await token('one', claims))
  put('one')
  const unsaid = await token('one')
  assert.equal(await ask(unsaid), 'one: a@example.com', 'the only one need not say so')
  assert.equal(await named({ email_verified: false }), 'one: 1')
  put('two')
  assert.equal(await ask(unsaid), 'one: 1', 'also where the token was seen before')
  for (const email_verified of [true, 'true']) assert.equal(await named({ email_verified }), 'one: a@example.com')
  for (const email_verified of [false, 'false', 0, null, 'yes']) assert.equal(await named({ email_verified }), 'one: 1')
  put('one', {}, { [providerAnnotations.mailTrusted]: 'true' })
  assert.equal(await ask(unsaid), 'one: a@example.com')
  assert.equal(await named({ email_verified: false }), 'one: 1', 'its own word counts more')
  put('one')
  put('two', { disabled: true })
  assert.equal(await ask(unsaid), 'one: a@example.com', 'one that nobody may use is none')
  put('two')
  assert.equal(await ask(unsaid), 'one: 1')
  remove('two')
  assert.equal(await ask(unsaid), 'one: a@example.com')
})

test('of several providers `iss` says which, and of an unknown one nobody is asked', async () => {
  const { put, ask, token, asked } = await scene()
  put('one')
  put('two', { oidc: { authority: 'https://two.example.com', clientID: 'x', expectedAudience: 'us' } })
  assert.equal(await ask(await token('three')), undefined)
  assert.equal(await ask(await token('one', { iss: `https://one.example.com/${'x'.repeat(512)}` })), undefined)
  assert.deepEqual(asked, [])
  assert.equal(await ask(await token('one', { email_verified: true })), 'one: a@example.com')
  assert.equal(await ask(await token('two', { email_verified: true })), 'two: a@example.com')
  assert.equal(await ask(await token('two', { aud: 'x' })), 'wrong')
  assert.equal(await ask(await token('one', { exp: undefined })), 'wrong')
  assert.equal(await ask(await token('one', { email_verified: false })), 'one: 1')
})

test('keys are where the provider says, and are asked for again when one is not known, every ten seconds at most', async () => {
  const { put, ask, token, asked, addKey, clock } = await scene()
  const jwksEndpoint = 'https://keys.example.com/all'
  put('one', { oidc: { authority: 'https://one.example.com', clientID: 'us', jwksEndpoint } })
  assert.equal(await ask(await token('one')), 'one: a@example.com')
  await addKey()
  assert.equal(await ask(await token('one', { n: 1 })), 'wrong')
  assert.deepEqual(asked, [jwksEndpoint])
  await clock.advance('10s')
  assert.equal(await ask(await token('one', { n: 2 })), 'one: a@example.com')
  assert.equal(asked.length, 2)
  await clock.advance('1h')
  assert.equal(await ask(await token('one', { n: 3 })), 'one: a@example.com')
  assert.equal(asked.length, 3)
})

test('keys that cannot be had say nothing about a token', async () => {
  const { put, ask, token, state } = await scene()
  put('one')
  state.isAway = true
  assert.equal(await ask(await token('one')), 'unavailable')
  assert.deepEqual(state.refused, [])
  state.isAway = false
  assert.equal(await ask(await token('one')), 'one: a@example.com')
})

test('what was verified counts no more once its provider is disabled, changed, doubled or gone', async () => {
  const { put, remove, ask, token, state } = await scene()
  const seen = await token('one')
  put('one')
  assert.equal(await ask(seen), 'one: a@example.com')
  put('one', { disabled: true })
  assert.equal(await ask(seen), undefined)
  put('one', { oidc: { authority: 'https://one.example.com', clientID: 'others' } })
  assert.equal(await ask(seen), 'wrong')
  assert.deepEqual(state.refused, ['wrong'])
  put('one')
  assert.equal(await ask(seen), 'one: a@example.com')
  put('double', { issuer: 'https://one.example.com' })
  assert.equal(await ask(seen), undefined)
  remove('double')
  assert.equal(await ask(seen), 'one: a@example.com')
  remove('one')
  assert.equal(await ask(seen), undefined)
})

test('a verified token is checked again after five minutes, and not before it expires', async () => {
  const { put, ask, token, clock } = await scene()
  put('one')
  const seen = await token('one')
  assert.equal(await ask(seen), 'one: a@example.com')
  await clock.advance('3h')
  assert.equal(await ask(seen), 'expired')
})
