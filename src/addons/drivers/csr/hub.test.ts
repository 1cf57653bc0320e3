import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { MemoryKube } from '../../../../test/support/memory-kube.ts'
import { ManagedClusterAddOn } from '../../../apis/addon/managed-cluster-addon.ts'
import { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import { runTogether } from '../../../core/lifecycle.ts'
import { silentLog } from '../../../core/log.ts'
import { noMetrics } from '../../../core/metrics.ts'
import { randomFrom } from '../../../core/random.ts'
import { informer } from '../../../kube/informer.ts'
import { certificateSigningRequests } from '../../../kube/kinds.ts'
import { addonHubView } from '../../hub/view.ts'
import type { ItemSubject } from '../../registrations.ts'
import { addonCsrController } from './hub.ts'
import { aCustomSigner, aRequest } from './testing/items.ts'

const signerName = 'example.com/signer'

/** A hub, and an agent that makes a new request at once for one that is gone, as one of the field does. */
async function scene(t: TestContext, registered: ItemSubject, asked: ItemSubject) {
  const clock = new FakeClock()
  const kube = new MemoryKube(clock)
  const customSigner = { signerName, subject: { user: '', ...registered } as never }
  const registrations = [{ type: 'customSigner' as const, customSigner }]
  await kube.of(ManagedCluster.resource).create({ metadata: { name: 'west' }, spec: { hubAcceptsClient: true } })
  await kube
    .of(ManagedClusterAddOn.resource, 'west')
    .create({ metadata: { name: 'logs' }, spec: {}, status: { registrations } })
  const deps = { kube, clock, random: randomFrom(() => 0), log: silentLog, metrics: noMetrics }
  const view = addonHubView(kube, deps)
  const clusters = informer(kube.of(ManagedCluster.resource), deps)
  const hub = addonCsrController({
    ...deps,
    view,
    clusters,
    events: { record() {}, async flush() {} },
    checkpoint() {},
    settings: { labels: {} },
  })
  const csrs = kube.of(certificateSigningRequests)
  const { spec, metadata } = await aRequest(aCustomSigner(signerName, asked))
  let made = 0
  const ask = async () => {
    made += 1
    await csrs.create({ metadata: { name: `ask-${made}`, labels: metadata.labels as never }, spec })
  }
  view.csrs.on(({ type }) => {
    // Bounded: a hub that follows would do so within one moment of the fake clock.
    if (type === 'deleted' && made < 100) void ask()
  })
  const stop = new AbortController()
  const running = runTogether(stop.signal, [view.run, clusters.run, hub.run])
  t.after(async () => {
    stop.abort()
    await running.catch(() => {})
  })
  await ask()
  return { clock, requests: () => made, open: async () => (await csrs.list()).items.length }
}

test('F46b: a registration without a subject, as the types of the field write it: one request, which stays', async (t) => {
  const { clock, requests, open } = await scene(
    t,
    {},
    { user: 'system:open-cluster-management:cluster:west:addon:logs:agent:a1' },
  )
  await clock.advance('30s')
  assert.deepEqual([requests(), await open()], [1, 1])
})

test('an agent that asks again at once for what the hub removes is not followed at its own speed', async (t) => {
  const { clock, requests, open } = await scene(t, { user: 'example:new' }, { user: 'example:old' })
  for (let minute = 0; minute < 5; minute += 1) await clock.advance('1m')
  assert.deepEqual([requests(), await open()], [31, 1])
  for (let minute = 0; minute < 10; minute += 1) await clock.advance('1m')
  assert.deepEqual([requests(), await open()], [61, 1], 'what is left is removed later')
})
