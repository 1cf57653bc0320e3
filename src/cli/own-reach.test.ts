import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { runInTest } from '../../test/support/fleet-scene.ts'
import { MemoryKube } from '../../test/support/memory-kube.ts'
import { ClusterConfig } from '../apis/breakglass/cluster-config.ts'
import { silentLog } from '../core/log.ts'
import { systemRandom } from '../core/random.ts'
import type { Step } from '../core/step.ts'
import { hubNamespace } from '../fleet/names.ts'
import { reachNews } from './own-reach.ts'

test('of the clusters that people add themselves nothing is told', async (t) => {
  const clock = new FakeClock()
  const kube = new MemoryKube(clock)
  const steps: Step[] = []
  const show = (step: Step) => void steps.push(step)
  const news = { clusters: 2, kubeconfig: 'hub.kubeconfig', show, isOwn: (name: string) => name.startsWith('own') }
  runInTest(t, [reachNews(kube, news, { clock, random: systemRandom, log: silentLog })])
  const ready = async (name: string) => {
    const lastTransitionTime = clock.now().toISOString()
    const condition = { type: 'Ready', status: 'True' as const, reason: 'Test', message: '', lastTransitionTime }
    const status = { observedGeneration: 1, conditions: [condition], answeredCheck: lastTransitionTime }
    const spec = { kubeconfigSecretRef: { name: 'a', namespace: hubNamespace } }
    const configs = kube.of(ClusterConfig.resource, hubNamespace)
    await configs.create({ metadata: { name }, spec })
    await configs.patch(name, { type: 'merge', body: { status } }, { subresource: 'status' })
    await clock.settle()
  }
  for (const name of ['own-1', 'foreign', 'own-2']) await ready(name)
  assert.deepEqual(
    steps.map((step) => 'did' in step && step.did),
    ['the hub gets into own-1', 'the hub gets into own-2', 'the hub gets into all of them'],
  )
})
