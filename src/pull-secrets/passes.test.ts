import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clusterC, pullSecretScene, tester } from '../../test/support/pull-secret-scene.ts'
import { seedClusters } from '../../test/support/pull-secret-seed.ts'
import type { Pass } from '../core/pass.ts'
import { pullPasses } from './passes.ts'
import { defaultPullSettings } from './settings.ts'

const dayMs = 86_400_000

const all = async (passes: AsyncIterable<Pass>): Promise<Pass[]> => await Array.fromAsync(passes)

test('every live credential is a pass, with when the policy renews it and without its token', async (t) => {
  const scene = await pullSecretScene(t)
  await scene.service.issuing.generate({ cluster: clusterC }, tester)
  const passes = await all(pullPasses({ ...scene, settings: defaultPullSettings }).list())
  assert.deepEqual(passes.map(({ issuer }) => issuer).sort(), ['quay', 'redhat'])
  for (const pass of passes) {
    assert.deepEqual([pass.kind, pass.holder, pass.state], ['pull', clusterC.id, 'PassIssued'])
    assert.equal(pass.keptIn, `postgres/registry_credentials/${pass.id.replace('pull/', '')}`)
    assert.match(pass.fingerprint, /^[0-9a-f]{64}$/)
    const days = ((pass.renewAt?.getTime() ?? 0) - pass.issuedAt.getTime()) / dayMs
    assert.ok(days > 89 && days <= 90)
  }
  assert.ok(!JSON.stringify(passes).includes(scene.canary))
})

test('a fleet of more than one page is listed whole, once each', async (t) => {
  const scene = await pullSecretScene(t)
  await seedClusters(scene, 600, { withinMs: 1_000 })
  const passes = await all(pullPasses({ ...scene, settings: defaultPullSettings }).list())
  assert.equal(new Set(passes.map(({ id }) => id)).size, 1_200)
  assert.equal(passes.length, 1_200)
})

test('what changes after the call is told, and of one that is gone last of all its end', async (t) => {
  const scene = await pullSecretScene(t)
  await scene.service.issuing.generate({ cluster: clusterC }, tester)
  const passes = pullPasses({ ...scene, settings: defaultPullSettings, everyMs: 1_000 })
  const [first] = await all(passes.list())
  const stop = new AbortController()
  const changes = passes.changes(stop.signal)[Symbol.asyncIterator]()
  await scene.service.rotating.request({ clusterId: clusterC.id, reason: 'compromise' }, tester)
  await scene.tick('rotation')

  const told = new Map<string, Pass>()
  for (let change = 0; change < 4; change++) {
    const { value } = await changes.next()
    told.set(value.id, value)
  }
  const after = await all(passes.list())
  assert.deepEqual(
    after.map(({ id }) => told.get(id)?.state),
    ['PassIssued', 'PassIssued'],
  )
  const old = told.get(first?.id ?? '')
  assert.equal(old?.state, 'PassRevoked')
  assert.ok(old?.expiresAt && old.expiresAt.getTime() <= Date.now() + 1_000)
  stop.abort()
  await changes.return?.()
})
