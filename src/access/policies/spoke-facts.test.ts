import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../../test/support/eventually.ts'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { runInTest } from '../../../test/support/fleet-scene.ts'
import { kubeFailure, MemoryKube } from '../../../test/support/memory-kube.ts'
import type { TestScope } from '../../../test/support/test-scope.ts'
import { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import { silentLog } from '../../core/log.ts'
import { randomFrom } from '../../core/random.ts'
import type { OpenSpoke, Spokes } from '../../fleet/spoke/index.ts'
import { spokeView } from '../../fleet/spoke/index.ts'
import { namespaces, pods } from '../../kube/kinds.ts'
import { spokeFacts } from './spoke-facts.ts'

const { signal } = new AbortController()

async function hub(t: TestScope) {
  const clock = new FakeClock()
  const [own, west] = [new MemoryKube(clock), new MemoryKube(clock)]
  const clients = new Map([['west', west]])
  const spokes = {
    open: async (cluster: string) => {
      const kube = clients.get(cluster)
      if (!kube) throw new Error(`no cluster ${cluster}`)
      return { kube } as unknown as OpenSpoke
    },
  } as Spokes
  const common = { clock, random: randomFrom(() => 0.5), log: silentLog }
  const view = spokeView(own, common)
  const facts = spokeFacts({ ...common, spokes, spokeView: view })
  const stop = runInTest(t, [view.run, facts.run])
  await west.of(namespaces).create({ metadata: { name: 'prod', labels: { env: 'prod' } } })
  const labels = (namespace: string, until = signal) => facts.of('west').namespaceLabels(namespace, until)
  return { clock, own, west, clients, facts, labels, stop }
}

test('labels come from one watch, and before it has listed from one look', async (t) => {
  const { west, clock, labels } = await hub(t)
  assert.equal(west.count('list', 'watch'), 0)
  const answers = await Promise.all([labels('prod'), labels('prod'), labels('prod')])
  assert.deepEqual(answers, [{ env: 'prod' }, { env: 'prod' }, { env: 'prod' }])
  await clock.settle()
  assert.deepEqual([west.count('list'), west.count('get')], [1, 1])
  await west.of(namespaces).patch('prod', { type: 'merge', body: { metadata: { labels: { env: 'lab' } } } })
  await eventually('the change is seen', async () => (await labels('prod'))?.['env'] === 'lab')
  assert.deepEqual([west.count('list'), west.count('get')], [1, 1])
})

test('a namespace that the watch does not have is looked for, and one that is not there has no labels', async (t) => {
  const { west, labels } = await hub(t)
  await labels('prod')
  await west.of(namespaces).create({ metadata: { name: 'new' } })
  assert.deepEqual(await labels('new'), {})
  assert.equal(await labels('gone'), undefined)
})

test('whoever asks waits no longer than their signal', async (t) => {
  const { west, clock, labels } = await hub(t)
  west.delayMs = 60_000
  const mine = new AbortController()
  const asked = labels('prod', mine.signal)
  await clock.settle()
  mine.abort(new Error('too late'))
  assert.equal(await asked, undefined)
  west.delayMs = 0
  await clock.advance('60s')
  assert.deepEqual(await labels('prod'), { env: 'prod' })
})

test('where namespaces must not be listed each is looked for, and what must not be read either is unknown at once', async (t) => {
  const { west, clock, labels } = await hub(t)
  west.failNext(1_000, kubeFailure(403, 'Forbidden'), 'list')
  assert.deepEqual(await labels('prod'), { env: 'prod' })
  await clock.advance('1m')
  assert.deepEqual(await labels('prod'), { env: 'prod' })
  west.failNext(1, kubeFailure(403, 'Forbidden'), 'get')
  assert.equal(await labels('prod'), undefined)
})

test('a cluster that nobody asks about for ten minutes is watched no longer', async (t) => {
  const { west, clock, labels } = await hub(t)
  await labels('prod')
  await clock.advance('9m')
  await labels('prod')
  await clock.advance('9m')
  await labels('prod')
  assert.equal(west.count('list'), 1)
  await clock.advance('11m')
  const watches = west.count('watch')
  await clock.advance('1h')
  assert.equal(west.count('watch'), watches)
  await labels('prod')
  assert.equal(west.count('list'), 2)
})

test('another client of the cluster, or another ClusterConfig, is watched anew', async (t) => {
  const { own, west, clock, clients, labels } = await hub(t)
  await labels('prod')
  const other = new MemoryKube(clock)
  await other.of(namespaces).create({ metadata: { name: 'prod', labels: { env: 'other' } } })
  clients.set('west', other)
  assert.deepEqual(await labels('prod'), { env: 'other' })
  clients.set('west', west)
  assert.deepEqual(await labels('prod'), { env: 'prod' })
  const lists = west.count('list')
  const kubeconfigSecretRef = { namespace: 'hub', name: 'west' }
  await own.of(ClusterConfig.resource, 'hub').create({ metadata: { name: 'west' }, spec: { kubeconfigSecretRef } })
  await eventually('it is listed again', async () => (await labels('prod')) && west.count('list') > lists)
})

test('a pod is read when it is asked for, and what cannot be read is nothing', async (t) => {
  const { west, facts } = await hub(t)
  await west.of(pods, 'prod').create({ metadata: { name: 'web' }, spec: { containers: [] } })
  const pod = (name: string) => facts.of('west').pod('prod', name, signal)
  assert.equal((await pod('web'))?.metadata?.name, 'web')
  assert.equal(await pod('gone'), undefined)
  west.failNext(1, kubeFailure(403, 'Forbidden'), 'get')
  assert.equal(await pod('web'), undefined)
  assert.equal(await facts.of('nowhere').pod('prod', 'web', signal), undefined)
  assert.equal(await facts.of('nowhere').namespaceLabels('prod', signal), undefined)
})

test('nothing is watched once the hub stops', async (t) => {
  const { clock, west, labels, stop } = await hub(t)
  await labels('prod')
  await stop()
  const calls = west.calls.length
  await clock.advance('1h')
  assert.equal(west.calls.length, calls)
  assert.equal(await labels('prod'), undefined)
})
