import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { kubeFailure, MemoryKube } from '../../../test/support/memory-kube.ts'
import { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import { silentLog } from '../../core/log.ts'
import { systemRandom } from '../../core/random.ts'
import { clientConfigs, clusterCreation, newCluster } from './bootstrap.ts'

test('a new cluster is not accepted and has only the annotations that agents may set', () => {
  const clusterAnnotations = { 'agent.open-cluster-management.io/a': '1', 'example.com/b': '2' }
  assert.deepEqual(newCluster('west', { externalServerUrls: [], clusterAnnotations }), {
    metadata: { name: 'west', annotations: { 'agent.open-cluster-management.io/a': '1' } },
    spec: { hubAcceptsClient: false },
  })
})

test('the annotations that say how it joins are there as well, and win', () => {
  const mark = 'agent.open-cluster-management.io/managed-cluster-arn'
  const marks = { 'eks-managed-cluster-arn': 'arn', [mark]: 'arn' }
  const settings = { externalServerUrls: [], clusterAnnotations: { [mark]: 'other' } }
  assert.deepEqual(newCluster('west', settings, marks).metadata?.annotations, marks)
})

test('addresses are added to those that are there, and brought up to date by URL', () => {
  const there = [{ url: 'https://a', caBundle: 'b2xk' }, { url: 'https://b' }]
  assert.deepEqual(clientConfigs(there, [{ url: 'https://a', caBundle: 'bmV3' }, { url: 'https://c' }]), [
    { url: 'https://a', caBundle: 'bmV3' },
    { url: 'https://b' },
    { url: 'https://c' },
  ])
})

test('a user who may not create is no reason to give up', async () => {
  const clock = new FakeClock()
  const kube = new MemoryKube(clock)
  kube.failNext(3, kubeFailure(403, 'Forbidden'))
  const settings = { externalServerUrls: [], clusterAnnotations: {}, createRetryMs: 60_000 }
  const deps = { cluster: 'west', settings, clock, random: systemRandom, log: silentLog }
  const { run } = clusterCreation({ ...deps, bootstrap: async () => kube })
  const running = run(new AbortController().signal)
  await clock.advance('1m')
  await running
  assert.ok(await kube.of(ManagedCluster.resource).find('west'))
})
