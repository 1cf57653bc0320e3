import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { eventually } from '../../../test/support/eventually.ts'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { MemoryKube } from '../../../test/support/memory-kube.ts'
import { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import { silentLog } from '../../core/log.ts'
import { randomFrom } from '../../core/random.ts'
import { secrets } from '../../kube/kinds.ts'
import { HeldObjects } from '../authorize/testing/held-objects.ts'
import { makeWebhookToken } from './make.ts'
import { tokenSecretName } from './record.ts'
import { webhookTokens } from './watched.ts'

async function aHub(t: TestContext) {
  const clock = new FakeClock()
  const kube = new MemoryKube(clock)
  const configs = new HeldObjects<ClusterConfig, 'name' | 'secret' | 'provider'>({
    name: ({ metadata }) => [metadata.name],
    secret: () => [],
    provider: () => [],
  })
  const spokeView = { configs }
  const deps = { kube, clock, namespace: 'hub', random: randomFrom(() => 0.5), log: silentLog, spokeView }
  const tokens = webhookTokens(deps)
  const stop = new AbortController()
  const running = tokens.run(stop.signal)
  t.after(() => {
    stop.abort()
    return running
  })
  const make = async (cluster: string, overlapMs?: number) => {
    const token = (
      await makeWebhookToken(cluster, deps, { rotate: true, ...(overlapMs !== undefined && { overlapMs }) })
    ).reveal()
    await eventually('it is known', () => tokens.isOf(cluster, token))
    return token
  }
  /** As the hub and whoever makes a token see it. */
  const register = async (name: string) =>
    configs.put(await kube.of(ClusterConfig.resource, 'people').create({ metadata: { name }, spec: {} }))
  const unregister = async (name: string) => {
    await kube.of(ClusterConfig.resource, 'people').delete(name)
    configs.remove(`people/${name}`)
  }
  return { kube, clock, tokens, make, register, unregister }
}

test('a token opens its own cluster and no other', async (t) => {
  const { tokens, make } = await aHub(t)
  const [west, east] = [await make('west'), await make('east')]
  assert.deepEqual(
    [tokens.isOf('west', west), tokens.isOf('east', west), tokens.isOf('west', east), tokens.isOf('north', west)],
    [true, false, false, false],
  )
  for (const wrong of ['', `${west} `, west.slice(1), 'x'.repeat(100_000)])
    assert.equal(tokens.isOf('west', wrong), false)
})

test('the one before stays good for the overlap, by our clock, or is cut off at once', async (t) => {
  const { tokens, make, clock } = await aHub(t)
  const first = await make('west')
  const second = await make('west')
  assert.ok(tokens.isOf('west', first))
  await clock.advance('1h')
  assert.deepEqual([tokens.isOf('west', first), tokens.isOf('west', second)], [false, true])
  await make('west', 0)
  assert.equal(tokens.isOf('west', second), false)
})

test('a Secret that is gone or spoiled opens nothing', async (t) => {
  const { tokens, make, kube } = await aHub(t)
  const [west, east] = [await make('west'), await make('east')]
  await kube.of(secrets, 'hub').delete(tokenSecretName('west'))
  await kube.of(secrets, 'hub').patch(tokenSecretName('east'), { type: 'merge', body: { data: { tokens: 'bm8=' } } })
  await eventually('both are shut', () => !tokens.isOf('west', west) && !tokens.isOf('east', east))
})

test('a token is for one ClusterConfig, and not for the next of the same name', async (t) => {
  const { tokens, make, register, unregister } = await aHub(t)
  await register('west')
  const token = await make('west')
  await unregister('west')
  assert.equal(tokens.isOf('west', token), true, 'nothing is granted on a cluster that is not there')
  await register('west')
  assert.equal(tokens.isOf('west', token), false)
  const another = await make('west')
  assert.deepEqual([tokens.isOf('west', another), tokens.isOf('west', token)], [true, false], 'nor is it taken along')
})

test('a token from before there was a ClusterConfig is for the first one that appears', async (t) => {
  const { tokens, make, register, unregister } = await aHub(t)
  const token = await make('west')
  await register('west')
  await eventually('it is bound', () => tokens.isOf('west', token))
  await unregister('west')
  await register('west')
  assert.equal(tokens.isOf('west', token), false)
})
