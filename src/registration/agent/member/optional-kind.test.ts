import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { MemoryKube } from '../../../../test/support/memory-kube.ts'
import { ClusterClaim } from '../../../apis/cluster/cluster-claim.ts'
import { silentLog } from '../../../core/log.ts'
import { randomFrom } from '../../../core/random.ts'
import { informer } from '../../../kube/informer.ts'
import { optionalKind } from './optional-kind.ts'
import { httpFailure } from './testing/scene.ts'

test('a kind that is not served has no objects, and is asked for again later', async (t) => {
  const clock = new FakeClock()
  const memory = new MemoryKube(clock)
  let isServed = false
  const spoke = memory.through((_, proceed) => {
    if (isServed) return proceed()
    throw httpFailure(404, 'Unknown')
  })
  const source = optionalKind(spoke.of(ClusterClaim.resource), { clock, againMs: 60_000 })
  const view = informer(source, { clock, random: randomFrom(() => 0), log: silentLog })
  const stop = new AbortController()
  t.after(() => stop.abort())
  void view.run(stop.signal)
  await view.synced()
  assert.equal(view.size, 0)
  isServed = true
  await memory.of(ClusterClaim.resource).create({ metadata: { name: 'id.k8s.io' }, spec: { value: 'x' } })
  await clock.advance('59s')
  assert.equal(view.size, 0)
  await clock.advance('2s')
  assert.equal(view.size, 1)
  await memory.of(ClusterClaim.resource).create({ metadata: { name: 'another' }, spec: { value: 'x' } })
  await clock.settle()
  assert.equal(view.size, 2, 'from then on it is watched')
})
