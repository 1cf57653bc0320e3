import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noMetrics } from '../../../src/core/metrics.ts'
import type { RestAnswer } from '../../../src/fleet/rest.ts'
import { restApp } from '../../../src/server/rest/index.ts'
import { apiScene } from '../../support/pull-secret-api.ts'
import type { TestOutside } from '../../support/pull-secret-outside.ts'
import { conditionOf, duringOutage, outsideOf, startHyperfleet } from '../../support/pull-secret-outside.ts'
import type { PullSecretScene } from '../../support/pull-secret-scene.ts'
import { clusterC, pullSecretScene, tester } from '../../support/pull-secret-scene.ts'
import { teardown } from '../../support/test-scope.ts'

const rotateType = 'com.redhat.hyperfleet.pullsecret.rotate.v1'
const structured = { 'content-type': 'application/cloudevents+json; charset=utf-8' }
const caller = { name: 'sentinel', kind: 'jwt', claims: {}, traceId: '', traceparent: '' } as const

const anEvent = (over: Record<string, unknown> = {}) => ({
  specversion: '1.0',
  id: 'event-1',
  source: 'sentinel',
  type: rotateType,
  data: { cluster_id: clusterC.id, reason: 'manual', force_immediate: false },
  ...over,
})

async function post(
  outside: TestOutside,
  body: unknown,
  headers: Record<string, string> = structured,
): Promise<RestAnswer> {
  const route = outside.routes.find(({ operationId }) => operationId === 'receiveEvent')
  assert.ok(route)
  return await route.handle({ params: {}, query: {}, body, headers, caller, signal: new AbortController().signal })
}
const resultOf = async (answer: Promise<RestAnswer>) => {
  const { status, body } = await answer
  assert.equal(status, 202, 'acknowledged')
  return (body as { result: string }).result
}
const rotationsOf = async (scene: PullSecretScene) =>
  (await scene.service.rotating.list(clusterC.id, { page: 1, size: 20 })).items
const generate = (scene: PullSecretScene) => scene.service.issuing.generate({ cluster: clusterC }, tester)

test('P36: the same rotate event twice makes one rotation; what is malformed is acknowledged and reported; an outage of the database has it come again', async (t) => {
  const scene = await pullSecretScene(t)
  const api = await startHyperfleet(t)
  api.clusters.set(clusterC.id, { generation: 3 })
  const outside = await outsideOf(scene, scene.clock, { apiUrl: api.url })
  await generate(scene)
  await outside.tick('status')

  const event = anEvent()
  await duringOutage(scene, async () => {
    await assert.rejects(post(outside, event), 'not acknowledged: its sender has to send it again')
  })
  assert.equal(await resultOf(post(outside, event)), 'done')
  assert.equal(await resultOf(post(outside, event)), 'repeated')
  const [rotation, ...more] = await rotationsOf(scene)
  assert.equal(rotation?.status, 'pending')
  assert.deepEqual(more, [])

  const reported = api.reports.length
  const malformed = anEvent({ id: 'event-2', data: { cluster_id: clusterC.id, reason: 'no such reason' } })
  assert.equal(await resultOf(post(outside, malformed)), 'malformed')
  await outside.tick('status')
  assert.equal(api.reports.length, reported + 1, 'whoever waits for the cluster is told')
  assert.match(scene.logged(), /an event cannot be acted on/)
  assert.match(await scene.metrics.text(), /lanyard_pull_events_taken_total\{result="malformed"\} 1/)
  assert.match(await scene.metrics.text(), /lanyard_pull_events_taken_total\{result="failed"\} 1/)
  assert.equal((await rotationsOf(scene)).length, 1)
})

test('a crash between a rotation and the mark that its event is done makes no second one', async (t) => {
  const scene = await pullSecretScene(t)
  const outside = await outsideOf(scene, scene.clock)
  await generate(scene)
  await post(outside, anEvent())
  await scene.database.db.deleteFrom('processed_events').execute()
  assert.equal(await resultOf(post(outside, anEvent())), 'repeated')
  assert.equal((await rotationsOf(scene)).length, 1)
})

test('events that nobody can act on are acknowledged: no envelope, no cluster, an open rotation, a type of others', async (t) => {
  const scene = await pullSecretScene(t)
  const outside = await outsideOf(scene, scene.clock)
  await generate(scene)
  for (const wrong of [
    'text',
    { ...anEvent(), specversion: '0.3' },
    { ...anEvent(), id: '' },
    anEvent({ data: 'none' }),
    anEvent({ data: { cluster_id: '../..' } }),
    anEvent({ data: { cluster_id: clusterC.id, force_immediate: 'yes' } }),
  ])
    assert.equal(await resultOf(post(outside, wrong)), 'malformed')
  const unknown = anEvent({ id: 'event-2', data: { cluster_id: 'nobody' } })
  assert.equal(await resultOf(post(outside, unknown)), 'refused')
  assert.equal(await resultOf(post(outside, anEvent({ id: 'event-3' }))), 'done')
  assert.equal(await resultOf(post(outside, anEvent({ id: 'event-4' }))), 'refused')
  assert.equal(await resultOf(post(outside, anEvent({ id: 'event-5', type: 'com.example.other' }))), 'ignored')
})

test('an event that the database could not hold is acknowledged like any that is malformed, and does not come back for ever', async (t) => {
  const scene = await pullSecretScene(t)
  const api = await startHyperfleet(t)
  const outside = await outsideOf(scene, scene.clock, { apiUrl: api.url })
  await generate(scene)
  const zero = String.fromCharCode(0)
  const long = Array.from({ length: 1_024 }, (_, n) => String.fromCharCode(0x4e00 + ((n * 7_919) % 20_000))).join('')
  const reconcile = { type: 'com.redhat.hyperfleet.cluster.reconcile.v1' }
  for (const over of [
    { id: `a${zero}b` },
    { source: `a${zero}b` },
    { id: long, source: long },
    { ...reconcile, id: 'large', data: { id: clusterC.id, generation: 2 ** 40 } },
    { ...reconcile, id: 'negative', data: { id: clusterC.id, generation: -(2 ** 40) } },
  ])
    assert.equal(await resultOf(post(outside, anEvent(over))), 'malformed')
  assert.deepEqual(await rotationsOf(scene), [])
})

test('binary mode is understood as well', async (t) => {
  const scene = await pullSecretScene(t)
  const outside = await outsideOf(scene, scene.clock)
  await generate(scene)
  const headers = {
    'content-type': 'application/json',
    'ce-specversion': '1.0',
    'ce-id': 'event-1',
    'ce-source': 'sentinel',
    'ce-type': rotateType,
  }
  const data = { cluster_id: clusterC.id, reason: 'compromise', force_immediate: true }
  assert.equal(await resultOf(post(outside, data, headers)), 'done')
  const [rotation] = await rotationsOf(scene)
  assert.equal(rotation?.reason, 'compromise')
  assert.equal(rotation?.requestedBy, 'event:sentinel')
})

for (const type of [
  'com.redhat.hyperfleet.cluster.reconcile',
  'com.redhat.hyperfleet.cluster.reconcile.v1',
  'com.redhat.hyperfleet.clusters.reconcile.v1',
])
  test(`a cluster that ${type} says is deleted loses its pull secret, and Finalized is reported`, async (t) => {
    const scene = await pullSecretScene(t)
    const api = await startHyperfleet(t)
    api.clusters.set(clusterC.id, { generation: 4 })
    const outside = await outsideOf(scene, scene.clock, { apiUrl: api.url })
    await generate(scene)
    const data = { resource_id: clusterC.id, kind: 'Cluster', generation: 4, deleted_time: '2026-01-01T00:00:00Z' }
    assert.equal(await resultOf(post(outside, anEvent({ type, data }))), 'done')
    assert.deepEqual(scene.quay.accounts(), [])
    assert.deepEqual(scene.redhat.accounts(), [])
    await outside.tick('status')
    const report = api.reports.at(-1)
    assert.equal(conditionOf(report, 'Finalized'), 'True Deleted')
    assert.equal(report?.observed_generation, 4)
  })

test('a thin reconcile event is completed by asking the API, and while that is away it comes again', async (t) => {
  const scene = await pullSecretScene(t)
  const api = await startHyperfleet(t)
  api.clusters.set(clusterC.id, { generation: 5, deleted_time: '2026-01-01T00:00:00Z' })
  const outside = await outsideOf(scene, scene.clock, { apiUrl: api.url })
  await generate(scene)
  const event = anEvent({ type: 'com.redhat.hyperfleet.cluster.reconcile', data: { id: clusterC.id, kind: 'Cluster' } })
  api.answer = 503
  await assert.rejects(post(outside, event))
  api.answer = undefined
  assert.equal(await resultOf(post(outside, event)), 'done')
  assert.deepEqual(scene.quay.accounts(), [])
})

test('over HTTP, events come in by the REST API, in both modes, from those who may send them', async (t) => {
  const scene = await apiScene(t)
  const outside = await outsideOf(scene, scene.clock)
  const routes = [...scene.api.routes, ...outside.routes]
  const app = await restApp({ ...scene.appOptions, metrics: noMetrics, api: { ...scene.api, routes } })
  teardown(t, () => app.close())
  await generate(scene)
  const send = async (payload: unknown, headers: Record<string, string>, as: 'operator' | 'reader' = 'operator') => {
    const authorization = `Bearer ${await scene.token(as)}`
    const url = '/api/hyperfleet/v1/events'
    const answer = await app.inject({
      method: 'POST',
      url,
      headers: { authorization, ...headers },
      payload: JSON.stringify(payload),
    })
    return [answer.statusCode, answer.json().result ?? answer.json().code]
  }
  assert.deepEqual(await send(anEvent(), structured, 'reader'), [403, 'HYPERFLEET-AUZ-001'])
  assert.deepEqual(await send(anEvent(), structured), [202, 'done'])
  const { data, ...attributes } = anEvent()
  const binary = Object.fromEntries(Object.entries(attributes).map(([name, value]) => [`ce-${name}`, String(value)]))
  assert.deepEqual(await send(data, { 'content-type': 'application/json', ...binary }), [202, 'repeated'])
  assert.deepEqual(await send({}, structured), [202, 'malformed'])
})
