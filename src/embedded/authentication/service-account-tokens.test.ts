import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { describe, test } from 'node:test'
import { inspect } from 'node:util'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { Secret } from '../../core/secret.ts'
import { generateKey } from '../../pki/index.ts'
import { BearerToken } from './bearer-token.ts'
import type { KeyInput } from './service-account-key.ts'
import { ServiceAccountKey } from './service-account-key.ts'
import { ServiceAccountTokens } from './service-account-tokens.ts'
import { FakeStore } from './testing/objects.ts'

const issuer = 'https://kubernetes.default.svc'
const namespace = 'work'

function scene(keys: KeyInput = generateKey()) {
  const [clock, store] = [new FakeClock(), new FakeStore()]
  const tokens = new ServiceAccountTokens({ ...keys, issuer, store, clock })
  const { metadata } = store.put('serviceaccounts', { name: 'robot', namespace })
  const serviceaccount = { name: 'robot', uid: metadata.uid }
  const issue = (bound: object = {}, audiences = [issuer]) =>
    tokens.issue({ bound: { namespace, serviceaccount, ...bound }, audiences, lifeSeconds: 600 }).token
  const judge = (token: string, audiences = [issuer]) => tokens.authenticate(new BearerToken(token), audiences)
  const whyNot = (token: string, audiences = [issuer]) => {
    const verdict = judge(token, audiences)
    return verdict && 'error' in verdict ? verdict.error : verdict
  }
  return { clock, store, tokens, keys, serviceaccount, issue, judge, whyNot }
}

const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')

describe('tokens of service accounts', () => {
  test('a token that was issued stands for its account', () => {
    const { issue, judge, serviceaccount } = scene()
    const token = issue()
    assert.deepEqual(judge(token), {
      user: {
        name: 'system:serviceaccount:work:robot',
        uid: serviceaccount.uid,
        groups: ['system:serviceaccounts', 'system:serviceaccounts:work'],
        extra: { 'authentication.kubernetes.io/credential-id': [`JTI=${claimsOf(token).jti}`] },
      },
      audiences: [issuer],
    })
  })

  test('the audit log is told of one that should have been renewed', async () => {
    const { clock, tokens, judge, serviceaccount } = scene()
    const grant = { bound: { namespace, serviceaccount }, audiences: [issuer], lifeSeconds: 600, warnAfterSeconds: 60 }
    const { token } = tokens.issue(grant)
    const notes = () => {
      const verdict = judge(token)
      return verdict && 'user' in verdict && verdict.notes
    }
    await clock.advance(60_000)
    assert.equal(notes(), undefined)
    await clock.advance(7_500)
    assert.deepEqual(notes(), {
      annotations: {
        'authentication.k8s.io/stale-token':
          'subject: system:serviceaccount:work:robot, seconds after warning threshold: 7',
      },
    })
  })

  for (const modulusLength of [2048])
    test(`an RSA key of ${modulusLength} bits signs with RS256`, () => {
      const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength })
      const keyPem = Secret.of(privateKey.export({ format: 'pem', type: 'pkcs8' }).toString())
      const publicKeyPem = publicKey.export({ format: 'pem', type: 'spki' }).toString()
      const { issue, judge } = scene({ keyPem, publicKeyPem })
      const token = issue()
      assert.equal(JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).alg, 'RS256')
      assert.ok('user' in (judge(token) ?? {}))
    })

  test('a key that tokens cannot be signed with is refused at the start', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const keyPem = Secret.of(privateKey.export({ format: 'pem', type: 'pkcs8' }).toString())
    const publicKeyPem = publicKey.export({ format: 'pem', type: 'spki' }).toString()
    assert.throws(() => scene({ keyPem, publicKeyPem }), { code: 'AUTHENTICATION_KEY_UNFIT' })
  })

  test('clocks may differ by a minute, and no more', async () => {
    const { clock, issue, judge, whyNot } = scene()
    const token = issue()
    await clock.jumpTo(new Date(clock.now().getTime() - 60_000))
    assert.ok('user' in (judge(token) ?? {}))
    await clock.jumpTo(new Date(clock.now().getTime() - 1_000))
    assert.equal(whyNot(token), 'service account token is not valid yet')
    await clock.advance(61_000 + 660_000)
    assert.ok('user' in (judge(token) ?? {}))
    await clock.advance('1s')
    assert.equal(whyNot(token), 'service account token has expired')
  })

  test('a token is good for the audiences it was issued for', () => {
    const { issue, judge, whyNot } = scene()
    const token = issue({}, ['vault', 'registry'])
    assert.deepEqual(judge(token, ['registry', 'other']), { ...judge(token, ['registry']), audiences: ['registry'] })
    assert.equal(
      whyNot(token),
      `token audiences ["vault" "registry"] is invalid for the target audiences ["${issuer}"]`,
    )
  })

  test('a token counts no more from the moment its account is gone, though its signature is remembered', () => {
    const { store, issue, judge, whyNot } = scene()
    const token = issue()
    assert.ok('user' in (judge(token) ?? {}))
    store.remove('serviceaccounts', namespace, 'robot')
    assert.equal(whyNot(token), 'serviceaccounts "robot" not found')
  })

  test('an account with the same name is another one', () => {
    const { store, issue, whyNot, serviceaccount } = scene()
    const token = issue()
    const { metadata } = store.put('serviceaccounts', { name: 'robot', namespace })
    assert.equal(whyNot(token), `service account UID (${metadata.uid}) does not match claim (${serviceaccount.uid})`)
  })

  for (const [what, storage, within] of [
    ['secret', 'secrets', namespace],
    ['pod', 'pods', namespace],
    ['node', 'nodes', ''],
  ] as const)
    test(`a token falls with the ${what} that it is bound to`, async () => {
      const { clock, store, issue, judge, whyNot } = scene()
      const put = (more: object = {}) =>
        store.put(storage, { name: 'anchor', ...(within && { namespace: within }), ...more })
      const { uid } = put().metadata
      const token = issue({ [what]: { name: 'anchor', uid } })
      assert.ok('user' in (judge(token) ?? {}))

      put({ uid, deletionTimestamp: clock.now().toISOString() })
      assert.ok('user' in (judge(token) ?? {}))
      await clock.advance('61s')
      assert.equal(whyNot(token), 'service account token has been invalidated')

      const { metadata } = put()
      assert.equal(
        whyNot(token),
        `${what} UID (${metadata.uid}) does not match service account ${what} ref claim (${uid})`,
      )
      store.remove(storage, within, 'anchor')
      assert.equal(whyNot(token), 'service account token has been invalidated')
    })

  test('the node of a pod is told, and need not be there', () => {
    const { store, issue, judge } = scene()
    const { uid } = store.put('pods', { name: 'worker', namespace }).metadata
    const token = issue({ pod: { name: 'worker', uid }, node: { name: 'n-1', uid: 'u-1' } })
    const verdict = judge(token)
    assert.ok(verdict && 'user' in verdict)
    assert.deepEqual(verdict.user.extra, {
      'authentication.kubernetes.io/credential-id': [`JTI=${claimsOf(token).jti}`],
      'authentication.kubernetes.io/node-name': ['n-1'],
      'authentication.kubernetes.io/node-uid': ['u-1'],
      'authentication.kubernetes.io/pod-name': ['worker'],
      'authentication.kubernetes.io/pod-uid': [uid],
    })
  })

  test('claims that were changed after signing are refused', () => {
    const { issue, whyNot } = scene()
    const [head, , signature] = issue().split('.')
    const claims = { ...claimsOf(issue()), exp: 4_000_000_000 }
    assert.match(String(whyNot([head, encode(claims), signature].join('.'))), /cryptographic primitive/)
  })

  test('another key, no key and no algorithm are refused', () => {
    const { issue, judge, whyNot } = scene()
    const [, body, signature] = issue().split('.')
    const withHead = (head: object) => [encode(head), body, signature].join('.')
    const other = new ServiceAccountKey(generateKey())
    assert.equal(whyNot(other.sign(claimsOf(issue()))), 'invalid signature, no keys found')
    assert.match(String(whyNot(withHead({ alg: 'ES256' }))), /cryptographic primitive/)
    assert.equal(judge(withHead({ alg: 'none' })), undefined)
    assert.equal(judge(withHead({ alg: 'HS256' })), undefined)
  })

  test('a token without an account in it is refused', () => {
    const { keys, whyNot } = scene()
    const key = new ServiceAccountKey(keys)
    assert.equal(whyNot(key.sign({ iss: issuer, aud: [issuer] })), 'resource name may not be empty')
  })

  test('tokens of other issuers, and what is no token, are left to others', () => {
    const { keys, judge } = scene()
    const key = new ServiceAccountKey(keys)
    for (const token of [key.sign({ iss: 'https://other', aud: [issuer] }), 'a.b.c', 'opaque', '{}', 'e30.bnVsbA.e30'])
      assert.equal(judge(token), undefined)
  })
})

test('a bearer token does not show itself', () => {
  const token = new BearerToken('open-sesame')
  assert.deepEqual(
    [`${token}`, JSON.stringify({ token }), inspect({ token })],
    ['***', '{"token":"***"}', '{ token: *** }'],
  )
  assert.ok(!token.digest.includes('sesame'))
})
