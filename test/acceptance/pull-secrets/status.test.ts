import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Report, TestOutside } from '../../support/pull-secret-outside.ts'
import { conditionOf, outsideOf, startHyperfleet, startSubscriber } from '../../support/pull-secret-outside.ts'
import { clusterC, pullSecretScene, tester } from '../../support/pull-secret-scene.ts'

const inShort = (report: Report | undefined) =>
  ['Available', 'Applied', 'Health', 'Finalized'].flatMap((type) => {
    const condition = conditionOf(report, type)
    return condition ? [`${type} ${condition}`] : []
  })

test('P68: every evaluation, even one that changes nothing, is reported; delete reports Finalized; nothing holds a token', async (t) => {
  const scene = await pullSecretScene(t)
  const api = await startHyperfleet(t)
  const subscriber = await startSubscriber(t)
  api.clusters.set(clusterC.id, { generation: 7 })
  const outside = await outsideOf(scene, scene.clock, { apiUrl: api.url, httpUrl: subscriber.url })
  const { issuing, rotating, ending } = scene.service
  /** What was reported of this, last. */
  const after = async (work: () => Promise<unknown>, what: string): Promise<Report | undefined> => {
    const before = api.reports.length
    await work().catch(() => {})
    await outside.tick('status')
    await outside.tick('outbox')
    assert.ok(api.reports.length > before, `${what} is reported`)
    await scene.clock.advance('1s')
    return api.reports.at(-1)
  }
  const generate = () => issuing.generate({ cluster: clusterC }, tester)

  scene.redhat.fail({ method: 'POST', times: Number.POSITIVE_INFINITY, do: { answer: 503 } })
  const outage = await after(generate, 'an outage')
  assert.equal(conditionOf(outage, 'Health'), 'False RegistryUnavailable')
  assert.equal(conditionOf(outage, 'Available')?.split(' ')[0], 'False')
  scene.redhat.heal()

  const made = await after(generate, 'a first document')
  assert.deepEqual(inShort(made), ['Available True Delivered', 'Applied True Delivered', 'Health True Healthy'])
  assert.equal(made?.observed_generation, 7)
  assert.equal(made?.data['credential_generation'], 1)
  assert.deepEqual(made?.data['registries'], { quay: 'active', redhat: 'active' })
  assert.deepEqual(inShort(await after(generate, 'a call that changes nothing')), inShort(made))
  assert.deepEqual(inShort(await after(() => reconcile(outside, 'r-1'), 'a reconcile event')), inShort(made))

  const request = { clusterId: clusterC.id, reason: 'manual', forceImmediate: true } as const
  const rotated = await after(async () => {
    await rotating.request(request, tester)
    await scene.tick('rotation')
  }, 'a rotation')
  assert.equal(conditionOf(rotated, 'Available')?.split(' ')[0], 'True')
  assert.equal(rotated?.data['credential_generation'], 2)

  const suspended = await after(() => ending.suspend(clusterC.id, 'test', tester), 'a suspension')
  assert.equal(conditionOf(suspended, 'Available'), 'False Suspended')
  const resumed = await after(() => ending.resume(clusterC.id, 'test', tester), 'the end of it')
  assert.equal(conditionOf(resumed, 'Available'), 'True Delivered')
  const deleted = await after(() => ending.remove(clusterC.id, tester), 'a deletion')
  assert.equal(conditionOf(deleted, 'Finalized'), 'True Deleted')

  const everything = [...api.bodies, ...subscriber.bodies].join('\n')
  assert.ok(subscriber.bodies.length > 0 && !everything.includes(scene.canary))
  for (const report of api.reports) assert.ok(!Number.isNaN(Date.parse(report.observed_time)))
})

async function reconcile(outside: TestOutside, id: string): Promise<void> {
  const headers = { 'content-type': 'application/cloudevents+json' }
  const type = 'com.redhat.hyperfleet.cluster.reconcile'
  const body = { specversion: '1.0', id, source: 'sentinel', type, data: { id: clusterC.id, generation: 7 } }
  const caller = { name: 'sentinel', kind: 'jwt', claims: {}, traceId: '', traceparent: '' } as const
  const signal = new AbortController().signal
  await outside.routes[0]?.handle({ params: {}, query: {}, headers, body, caller, signal })
}

test('of several reports that were not sent yet, the newest goes out', async (t) => {
  const scene = await pullSecretScene(t)
  const api = await startHyperfleet(t)
  api.clusters.set(clusterC.id, { generation: 1 })
  const outside = await outsideOf(scene, scene.clock, { apiUrl: api.url })
  api.answer = 503
  await scene.service.issuing.generate({ cluster: clusterC }, tester)
  await outside.tick('status')
  await scene.service.ending.suspend(clusterC.id, 'test', tester)
  await scene.clock.advance('10m')
  api.answer = undefined
  await outside.tick('status')
  assert.deepEqual(
    api.reports.map((report) => conditionOf(report, 'Available')),
    ['False Suspended'],
  )
})

test('a cluster that the API does not know is nobody to report to', async (t) => {
  const scene = await pullSecretScene(t)
  const api = await startHyperfleet(t)
  const outside = await outsideOf(scene, scene.clock, { apiUrl: api.url })
  await scene.service.issuing.generate({ cluster: clusterC }, tester)
  await outside.tick('status')
  assert.deepEqual(api.reports, [])
  const waiting = await scene.database.db
    .selectFrom('event_outbox')
    .selectAll()
    .where('channel', '=', 'status')
    .where('published_at', 'is', null)
    .execute()
  assert.deepEqual(waiting, [])
})
