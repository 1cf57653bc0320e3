/** The tokens by which API servers prove which cluster they are of. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { outOfTouch } from '../../../src/access/authorize/wording.ts'
import { makeWebhookToken } from '../../../src/access/webhook-tokens/index.ts'
import { ClusterConfig } from '../../../src/apis/breakglass/cluster-config.ts'
import { secrets } from '../../../src/kube/kinds.ts'
import type { BreakglassScene } from '../../support/breakglass-scene.ts'
import { breakglassScene } from '../../support/breakglass-scene.ts'
import { uniqueName } from '../../support/builders.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { TimedPlane } from '../../support/timed-plane.ts'
import { timedPlane } from '../../support/timed-plane.ts'

describe('the tokens of the webhook', needsControlPlane, () => {
  const suite = suiteScope()
  let timed: TimedPlane
  let scene: BreakglassScene
  before(async () => {
    timed = await timedPlane(suite)
    scene = await breakglassScene(suite, timed.plane, { clock: timed.clock })
  })

  const statusOf = async (cluster: string, token: string, path?: string) =>
    (await scene.ask(cluster, 'dev@example.com', {}, { token, ...(path !== undefined && { path }) })).status
  const rotated = async (cluster: string, overlapMs?: number) => {
    const deps = { kube: scene.admin, namespace: scene.namespace, clock: timed.clock }
    const options = { rotate: true, ...(overlapMs !== undefined && { overlapMs }) }
    const token = (await makeWebhookToken(cluster, deps, options)).reveal()
    await eventually('the hub knows the token', async () => (await statusOf(cluster, token)) === 200)
    return token
  }

  test('A62: without a token, with a wrong one, or with that of another cluster there is a 401 and no decision', async () => {
    const { cluster, dev, lead, group } = await scene.story()
    const other = await scene.cluster()
    const { body: made } = await dev.request(cluster, group, { reason: 'look' })
    assert.equal((await lead.act(made.metadata.name, 'approve')).status, 200)
    await eventually('it is allowed', async () => (await scene.ask(cluster, dev.email)).body.status?.allowed === true)
    const [own, foreign] = [await scene.webhookToken(cluster), await scene.webhookToken(other)]
    const paths = ['/api/breakglass/webhook/authorize', '/breakglass/webhook/authorize']
    for (const path of paths) {
      for (const token of ['', 'wrong', `${own}x`, own.slice(0, -1), foreign, `${own} ${own}`]) {
        const { status, body } = await scene.ask(cluster, dev.email, {}, { token, path })
        assert.deepEqual([status, body.status?.allowed, body.status?.denied], [401, undefined, undefined], token)
      }
      const sent = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
      assert.equal((await fetch(`${scene.url}${path}/${cluster}`, sent)).status, 401)
      assert.equal((await fetch(`${scene.url}${path}/${cluster}/policies`, sent)).status, 401)
      const basic = { ...sent, headers: { ...sent.headers, authorization: `Basic ${btoa(`x:${own}`)}` } }
      assert.equal((await fetch(`${scene.url}${path}/${cluster}`, basic)).status, 401)
      assert.equal(await statusOf(cluster, own, path), 200)
    }
    assert.equal(await statusOf(other, own), 401)
    const { status } = await scene.ask('unheard-of', dev.email, {}, { token: own })
    assert.equal(status, 401, 'nor does it tell which clusters there are')
  })

  test('after a rotation both tokens are good for an hour, then only the new one is', async () => {
    const cluster = await scene.cluster()
    const first = await scene.webhookToken(cluster)
    const second = await rotated(cluster)
    assert.deepEqual([await statusOf(cluster, first), await statusOf(cluster, second)], [200, 200])
    await timed.clock.advance('1h')
    assert.deepEqual([await statusOf(cluster, first), await statusOf(cluster, second)], [401, 200])
  })

  test('the one before can be cut off at once, and with its Secret every token ends', async () => {
    const cluster = await scene.cluster()
    const first = await scene.webhookToken(cluster)
    const second = await rotated(cluster, 0)
    assert.deepEqual([await statusOf(cluster, first), await statusOf(cluster, second)], [401, 200])
    await scene.admin
      .of(secrets, scene.namespace)
      .deleteCollection({ labelSelector: `lanyard.io/webhook-token-of=${cluster}` })
    await eventually('it is cut off', async () => (await statusOf(cluster, second)) === 401)
  })

  test('what is stored opens nothing: the digest of a token is no token', async () => {
    const cluster = await scene.cluster()
    const token = await scene.webhookToken(cluster)
    const { items } = await scene.admin
      .of(secrets, scene.namespace)
      .list({ labelSelector: `lanyard.io/webhook-token-of=${cluster}` })
    const texts = Object.values(items[0]?.data ?? {}).map((value) => Buffer.from(value, 'base64').toString())
    assert.ok(!JSON.stringify([items, texts]).includes(token))
    const digests = texts.join().match(/[0-9a-f]{64}/g) ?? []
    assert.equal(digests.length, 1)
    for (const digest of digests) assert.equal(await statusOf(cluster, digest), 401)
  })

  test('a token is for one ClusterConfig, and not for another that takes its name', async () => {
    const cluster = await scene.cluster()
    const first = await scene.webhookToken(cluster)
    assert.equal(await statusOf(cluster, first), 200)
    const configs = scene.admin.of(ClusterConfig.resource, scene.namespace)
    const { spec } = await configs.get(cluster)
    await configs.delete(cluster)
    await eventually('it is gone', async () => !(await configs.find(cluster)))
    await configs.create({ metadata: { name: cluster }, spec })
    await eventually('it is shut', async () => (await statusOf(cluster, first)) === 401)
    const second = await rotated(cluster)
    assert.deepEqual([await statusOf(cluster, first), await statusOf(cluster, second)], [401, 200])
  })

  test('a token from before there was a ClusterConfig is for the first', async () => {
    const name = uniqueName('early')
    const token = await scene.webhookToken(name)
    const { spec } = await scene.admin.of(ClusterConfig.resource, scene.namespace).get(await scene.cluster())
    await scene.admin.of(ClusterConfig.resource, scene.namespace).create({ metadata: { name }, spec })
    const isRegistered = async () => {
      const { status, body } = await scene.ask(name, 'dev@example.com', {}, { token })
      return status === 200 && !body.status.reason.includes('not registered')
    }
    await eventually('it is taken', isRegistered)
  })

  test('a hub on whose API server nothing happens for a while has not lost touch with it', async () => {
    // Its watches begin now: a server ends none before five minutes, and one that has just ended can tell nothing.
    await scene.stop()
    await scene.start()
    const { cluster, dev, lead, group } = await scene.story()
    const { body: made } = await dev.request(cluster, group, { reason: 'look' })
    assert.equal((await lead.act(made.metadata.name, 'approve')).status, 200)
    const answer = async () => (await scene.ask(cluster, dev.email)).body.status
    await eventually('it is allowed', async () => (await answer())?.allowed === true)
    await timed.clock.advance('4m')
    assert.notEqual((await answer()).reason, outOfTouch)
    await eventually('it is allowed still', async () => (await answer()).allowed === true)
  })
})
