import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { MemoryKube } from '../../../test/support/memory-kube.ts'
import { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import { statusOf } from './status-of.ts'
import { aConfig, itFails, itWorks } from './testing/builders.ts'
import { writeStatus } from './write-status.ts'

const { signal } = new AbortController()

async function scene() {
  const clock = new FakeClock()
  const kube = new MemoryKube(clock)
  const configs = kube.of(ClusterConfig.resource, 'fleet')
  const { spec } = aConfig()
  const config = await configs.create({ metadata: { name: 'west' }, spec })
  const write = (seen = config, result = itWorks(), version?: string) =>
    writeStatus(kube, seen, (found) => statusOf(found, result, clock.now()), { signal, version })
  return { kube, configs, config, write }
}

test('the same again is not written', async () => {
  const { kube, configs, write } = await scene()
  await write()
  const patches = kube.count('patch')
  await write(await configs.get('west'))
  assert.deepEqual([patches, kube.count('patch')], [1, 1])
})

test('the same as what was there before its own last write is written', async () => {
  const { kube, configs, write } = await scene()
  await write()
  const old = await configs.get('west')
  const written = await write(old, itFails())
  const again = await write(old, itWorks(), written?.version)
  const { metadata, status } = await configs.get('west')
  assert.equal(status?.conditions?.find(({ type }) => type === 'Ready')?.status, 'True')
  assert.equal(again?.version, metadata.resourceVersion)
  // What is known to be no older is believed.
  const calls = kube.calls.length
  await write(await configs.get('west'), itWorks(), again?.version)
  assert.equal(kube.calls.length, calls + 1)
})

test('of two who look at once each decides on what the other left', async () => {
  const { configs, config, write } = await scene()
  const others = itFails()
  await Promise.all([write(config), write(config, others)])
  const written = await write(config)
  assert.equal(written?.before.status?.conditions?.find(({ type }) => type === 'Ready')?.status, 'False')
  const { status } = await configs.get('west')
  assert.equal(status?.conditions?.find(({ type }) => type === 'Ready')?.status, 'True')
})

test('of what was changed or made anew meanwhile nothing is said', async () => {
  const { configs, config, write } = await scene()
  await configs.update({ ...(await configs.get('west')), spec: { authType: 'OIDC' } })
  assert.equal(await write(config), undefined)
  await configs.delete('west')
  assert.equal(await write(config).catch(() => 'gone'), 'gone')
})

test('what no longer holds goes', async () => {
  const { configs, write } = await scene()
  const trust = { source: 'FirstUse', fingerprint: 'CC' } as const
  const offered = { fingerprint: 'EE', onRecord: 'CC' }
  await write(await configs.get('west'), itFails({ offered, over: { trust } }))
  await write(await configs.get('west'), itWorks({ trust }))
  assert.deepEqual((await configs.get('west')).status?.tls, trust)
})
