import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { generateKey } from '../../pki/index.ts'
import type { WriteContext } from '../kinds/kind.ts'
import { ServiceAccountTokens } from './service-account-tokens.ts'
import { FakeStore } from './testing/objects.ts'
import { tokenRequestAction } from './token-request.ts'
import { loopbackUser } from './user.ts'

const issuer = 'https://kubernetes.default.svc'
const namespace = 'work'

function scene() {
  const [clock, store] = [new FakeClock(), new FakeStore()]
  const tokens = new ServiceAccountTokens({ ...generateKey(), issuer, store, clock })
  const account = store.put('serviceaccounts', { name: 'robot', namespace })
  const act = tokenRequestAction({ store, tokens })
  const context: WriteContext = { user: loopbackUser, now: clock.now(), dryRun: false, namespace }
  const ask = (spec: object = {}, metadata: object = {}) =>
    act(
      {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        metadata,
        spec: { expirationSeconds: 3_600, ...spec },
      },
      account,
      context,
    )
  return { store, account, ask }
}

const claimsOf = ({ token }: { token: string }) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())

test('a request is answered with a token, and with what was not asked for filled in', async () => {
  const { account, ask } = scene()
  const { metadata, spec, status } = await ask()
  const { token, expirationTimestamp } = status as { token: string; expirationTimestamp: string }
  assert.deepEqual(metadata, {
    name: 'robot',
    namespace,
    uid: account.metadata.uid,
    creationTimestamp: '2026-01-01T00:00:00Z',
  })
  assert.deepEqual(spec, { audiences: [issuer], expirationSeconds: 3600, boundObjectRef: null })
  assert.equal(expirationTimestamp, '2026-01-01T01:00:00Z')
  assert.deepEqual(Object.keys(claimsOf({ token })), ['aud', 'exp', 'iat', 'iss', 'jti', 'kubernetes.io', 'nbf', 'sub'])
})

test('a token that is mounted by default lives for a year', async () => {
  const { store, ask } = scene()
  store.put('pods', { name: 'worker', namespace }, { spec: { serviceAccountName: 'robot', nodeName: 'n-1' } })
  const boundObjectRef = { kind: 'Pod', apiVersion: 'v1', name: 'worker' }
  const { status } = await ask({ boundObjectRef, expirationSeconds: 3607 })
  const { iat, exp, 'kubernetes.io': kubernetes } = claimsOf(status as { token: string })
  assert.deepEqual([exp - iat, kubernetes.warnafter - iat, kubernetes.node], [31_536_000, 3607, { name: 'n-1' }])
})

test('what cannot be granted is refused', async () => {
  const { store, ask } = scene()
  store.put('secrets', { name: 'anchor', namespace, uid: 'u-1' })
  store.put('pods', { name: 'other', namespace }, { spec: { serviceAccountName: 'other' } })
  const secret = { kind: 'Secret', apiVersion: 'v1' }
  await assert.rejects(ask({ expirationSeconds: 599 }), { code: 422 })
  await assert.rejects(ask({ expirationSeconds: 2 ** 32 + 1 }), { code: 422 })
  await assert.rejects(ask({ boundObjectRef: { ...secret, name: 'absent' } }), { code: 404 })
  await assert.rejects(ask({ boundObjectRef: { ...secret, name: 'anchor', uid: 'u-2' } }), { code: 409 })
  await assert.rejects(ask({ boundObjectRef: secret }), { code: 400, message: 'Name parameter required.' })
  await assert.rejects(ask({ boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'other' } }), { code: 400 })
  await assert.rejects(ask({ boundObjectRef: {} }), { message: 'cannot bind token to object of type /, Kind=' })
  await assert.rejects(ask({}, { name: 'other' }), { code: 422 })
  await assert.rejects(ask({}, { uid: 'other' }), { code: 409 })
})
