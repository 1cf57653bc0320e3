import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isFailure } from '../../../src/core/failure.ts'
import type { PullSecretScene } from '../../support/pull-secret-scene.ts'
import { clusterC, org, pullSecretScene, tester } from '../../support/pull-secret-scene.ts'

const houseRule = /^[a-z0-9_]{1,254}$/
const quayRule = /^([a-z0-9]+(?:[._-][a-z0-9]+)*)$/
const newest = ({ quay }: PullSecretScene) => quay.accounts().at(-1)?.name ?? ''

test('P10: a robot is named after the provider and the region, and at random', async (t) => {
  const scene = await pullSecretScene(t)
  const { service, registries } = scene
  await service.issuing.generate({ cluster: clusterC }, tester)
  assert.match(newest(scene), /^hyperfleet_gcp_useast1_[0-9a-f]{16}$/)
  const other = { id: 'other', cloudProvider: 'GCP', region: 'europe-west1-a' }
  await service.issuing.generate({ cluster: other }, tester)
  assert.match(newest(scene), /^hyperfleet_gcp_europewest1a_[0-9a-f]{16}$/)
  // The service asks for a region; a name is made without one all the same.
  const bare = registries.driver('quay').nameFor({ cluster: { ...clusterC, region: '' }, generation: 0 })
  assert.match(bare, /^hyperfleet_gcp_[0-9a-f]{16}$/)
  const pooled = registries.driver('quay').nameFor({ generation: 0 })
  assert.match(pooled, /^hyperfleet_multi_global_[0-9a-f]{16}$/)
})

test('P11: a region of 240 characters is refused before Quay is called', async (t) => {
  const { service, quay } = await pullSecretScene(t)
  const cluster = { ...clusterC, region: 'x'.repeat(240) }
  await assert.rejects(
    service.issuing.generate({ cluster }, tester),
    (error) => isFailure(error) && error.status === 400,
  )
  assert.equal(quay.calls.length, 0)
})

test('P12: whatever the provider and the region, an accepted name is legal for us and for Quay', async (t) => {
  const scene = await pullSecretScene(t)
  const driver = scene.registries.driver('quay')
  const isLegal = (name: string) => {
    assert.match(name, houseRule)
    assert.match(name, quayRule)
    assert.ok(`${org}+${name}`.length <= 255)
  }
  const anyText = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 260 }),
    fc.string({ unit: fc.constantFrom('_', '-', '.', 'A', 'z', '0', 'é', ' ', '/'), maxLength: 260 }),
  )
  fc.assert(
    fc.property(anyText, anyText, (cloudProvider, region) => {
      try {
        isLegal(driver.nameFor({ cluster: { id: 'c', cloudProvider, region }, generation: 0 }))
      } catch (error) {
        if (!isFailure(error, 'PULL_NAME_IMPOSSIBLE')) throw error
      }
    }),
  )
  for (const [at, region] of ['zürich', '日本', '__', '🏔', 'a/../b', '%2e%2e'].entries()) {
    await scene.service.issuing.generate({ cluster: { ...clusterC, id: `c${at}`, region } }, tester)
    isLegal(newest(scene))
  }
})

test('P13: an account is named after the external id, or the cluster, and its username has a pipe in front', async (t) => {
  const { service, redhat } = await pullSecretScene(t)
  const generate = async (cluster: { id: string; externalResourceId?: string }) => {
    const { pullSecret } = await service.issuing.generate({ cluster: { ...clusterC, ...cluster } }, tester)
    return pullSecret.credentials.find(({ registryId }) => registryId === 'redhat')?.username
  }
  assert.equal(await generate({ id: 'cls-abc-123' }), '|hyp-cls-cls-abc-123')
  assert.equal(await generate({ id: 'another', externalResourceId: 'abc123def456' }), '|hyp-cls-abc123def456')
  assert.deepEqual(
    redhat.accounts().map(({ name }) => name),
    ['hyp-cls-cls-abc-123', 'hyp-cls-abc123def456'],
  )
})

test('P14: a long external id is cut and hashed, the same after a restart, and another one differs', async (t) => {
  const scene = await pullSecretScene(t)
  const long = 'my-very-long-external-cluster-identifier-0001-eu-prod'
  const similar = `${long.slice(0, 40)}-quite-other`
  const named = async (id: string, externalResourceId: string) => {
    await scene.service.issuing.generate({ cluster: { ...clusterC, id, externalResourceId } }, tester)
    return scene.redhat.accounts().at(-1)?.name ?? ''
  }
  const first = await named('first', long)
  const second = await named('second', similar)
  assert.equal(first, 'hyp-cls-my-very-long-external-c-ba633609d316')
  assert.notEqual(first, second)
  assert.ok(first.length <= 49 && second.length <= 49)
  const restarted = await scene.pod()
  const driver = restarted.registries.driver('redhat')
  const cluster = { ...clusterC, externalResourceId: long }
  assert.equal(driver.nameFor({ cluster, generation: 0 }), first)
  assert.equal(driver.nameFor({ cluster, generation: 1 }), `${first}-g001`)
})
