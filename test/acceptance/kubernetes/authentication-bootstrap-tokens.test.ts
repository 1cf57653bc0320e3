/** Tokens that a node or cluster joins with: Secrets of kube-system that say so. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import { systemRandom } from '../../../src/core/random.ts'
import { Secret } from '../../../src/core/secret.ts'
import { isUnauthorized } from '../../../src/kube/failures.ts'
import { secrets, tokenReviews } from '../../../src/kube/kinds.ts'
import { aBootstrapToken } from '../../support/builders.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { teardown } from '../../support/test-scope.ts'
import { whoAmI } from '../../support/who-am-i.ts'

const secret = '0123456789abcdef'

async function start(t: TestContext) {
  const plane = await startControlPlane(t)
  const admin = kubeClient(t, plane.connection())
  const tokens = admin.of(secrets, 'kube-system')
  const put = async (change: (data: Record<string, string>) => object = () => ({})) => {
    const id = systemRandom.suffix(6)
    const made = aBootstrapToken({ id, secret })
    const data = Object.fromEntries(Object.entries(made.data ?? {}).map(([key, value]) => [key, plain(value)]))
    const { data: changed = data, ...more } = change(data) as { data?: Record<string, string> }
    const encoded = Object.fromEntries(Object.entries(changed).map(([key, value]) => [key, encode(value)]))
    await tokens.create({ ...made, ...more, data: encoded })
    teardown(t, async () => void (await tokens.delete(made.metadata.name)))
    return { id, name: made.metadata.name, token: `${id}.${secret}` }
  }
  const bearer = (token: string) => kubeClient(t, plane.connection({ authorization: Secret.of(token) }))
  const isGood = (token: string) =>
    whoAmI(bearer(token)).catch((error) => {
      if (!isUnauthorized(error)) throw error
    })
  /** Refusals only count once the server has heard of what was written last. */
  const caughtUp = async () => {
    const { token } = await put()
    await eventually('a later token is known', () => isGood(token))
  }
  const review = async (token: string, audiences?: string[]) =>
    (await admin.of(tokenReviews).create({ spec: { token, ...(audiences && { audiences }) } })).status
  return { tokens, put, bearer, isGood, caughtUp, review }
}

const plain = (text: string) => Buffer.from(text, 'base64').toString()
const encode = (text: string) => Buffer.from(text).toString('base64')

describe('bootstrap tokens', needsControlPlane, () => {
  test('E15: a bootstrap token stands for a bootstrapper in the groups that it names, each once and in order', async (t) => {
    const { put, isGood } = await start(t)
    const groups = 'system:bootstrappers:b,system:bootstrappers:a:c-d,system:bootstrappers:b'
    const { id, token } = await put((data) => ({ data: { ...data, 'auth-extra-groups': groups } }))
    assert.deepEqual(await eventually('it is known', () => isGood(token)), {
      username: `system:bootstrap:${id}`,
      groups: ['system:bootstrappers', 'system:bootstrappers:a:c-d', 'system:bootstrappers:b', 'system:authenticated'],
    })
  })

  test('E15: a bootstrap token is refused with another secret part', async (t) => {
    const { put, bearer, isGood } = await start(t)
    const { id, token } = await put()
    await eventually('it is known', () => isGood(token))
    await assert.rejects(whoAmI(bearer(`${id}.${secret.replace('0', '1')}`)), isUnauthorized)
    await assert.rejects(whoAmI(bearer(token.toUpperCase())), isUnauthorized)
  })

  const unfit: Record<string, (data: Record<string, string>) => object> = {
    'that has expired': (data) => ({ data: { ...data, expiration: '2020-01-01T00:00:00Z' } }),
    'whose end cannot be read': (data) => ({ data: { ...data, expiration: 'tomorrow' } }),
    'that is not meant for authentication': (data) => ({
      data: { ...data, 'usage-bootstrap-authentication': 'false', 'usage-bootstrap-signing': 'true' },
    }),
    'that says of its use anything but true': (data) => ({
      data: { ...data, 'usage-bootstrap-authentication': 'TRUE' },
    }),
    'that names a group outside of the bootstrappers': (data) => ({
      data: { ...data, 'auth-extra-groups': 'system:bootstrappers:a,system:masters' },
    }),
    'in a Secret of another type': () => ({ type: 'Opaque' }),
  }
  for (const [which, change] of Object.entries(unfit))
    test(`E15: a bootstrap token ${which} is refused`, async (t) => {
      const { put, bearer, caughtUp } = await start(t)
      const { token } = await put(change)
      await caughtUp()
      await assert.rejects(whoAmI(bearer(token)), isUnauthorized)
    })

  test('E15: a bootstrap token is good until its end', async (t) => {
    const { put, isGood } = await start(t)
    const { token } = await put((data) => ({ data: { ...data, expiration: '2999-01-01T00:00:00Z' } }))
    assert.ok(await eventually('it is known', () => isGood(token)))
  })

  test('E15: a deleted bootstrap token is refused', async (t) => {
    const { put, tokens, isGood } = await start(t)
    const { name, token } = await put()
    await eventually('it is known', () => isGood(token))
    await tokens.delete(name)
    await eventually('it is refused', async () => !(await isGood(token)), { everyMs: 250 })
  })

  test('E15: a bootstrap token is good for this API only', async (t) => {
    const { put, isGood, review } = await start(t)
    const { token } = await put()
    await eventually('it is known', () => isGood(token))
    assert.deepEqual(await review(token, ['vault']), { user: {}, error: 'invalid bearer token' })
    assert.deepEqual((await review(token, ['vault', 'https://kubernetes.default.svc']))?.audiences, [
      'https://kubernetes.default.svc',
    ])
  })
})
