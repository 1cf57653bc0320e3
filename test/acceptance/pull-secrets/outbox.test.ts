import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordEvent } from '../../../src/pull-secrets/store/record.ts'
import { killedAt, outsideOf, startSubscriber } from '../../support/pull-secret-outside.ts'
import type { PullSecretScene } from '../../support/pull-secret-scene.ts'
import { clusterC, pullSecretScene, tester } from '../../support/pull-secret-scene.ts'

const generate = (scene: PullSecretScene, id = clusterC.id) =>
  scene.service.issuing.generate({ cluster: { ...clusterC, id } }, tester)
const emit = (scene: PullSecretScene, clusterId: string, ...numbers: number[]) =>
  scene.database.db.transaction().execute(async (tx) => {
    for (const number of numbers)
      await recordEvent(tx, scene.clock.now(), { channel: 'event', type: 'updated', clusterId, data: { number } })
  })
const numbersOf = (events: readonly { subject?: string; data?: unknown }[], clusterId: string) =>
  events.filter(({ subject }) => subject === clusterId).map(({ data }) => (data as { number: number }).number)

test('P69: killed between a commit and its event, the event is published after the restart, at least once, in order', async (t) => {
  const scene = await pullSecretScene(t)
  const subscriber = await startSubscriber(t)
  await generate(scene)
  // Killed before anything was published: another process finds what was committed.
  await emit(scene, clusterC.id, 1, 2)
  // Killed after the first was published, before that was written down.
  await killedAt('pull.event-published', async (checkpoint, signal) => {
    const dying = await outsideOf(scene, scene.clock, { httpUrl: subscriber.url, checkpoint })
    await dying.tick('outbox', signal)
  })
  assert.deepEqual(
    subscriber.events.map(({ type }) => type),
    ['com.redhat.hyperfleet.pullsecret.generated.v1'],
  )
  await scene.clock.advance('10m')
  const other = await outsideOf(await scene.pod(), scene.clock, { httpUrl: subscriber.url })
  await other.tick('outbox')
  const { events } = subscriber
  assert.equal(events[0]?.id, events[1]?.id, 'the one whose fate was not known went out again, as the same event')
  assert.deepEqual(
    events.slice(1).map(({ type }) => type.split('.').at(-2)),
    ['generated', 'updated', 'updated'],
  )
  assert.deepEqual(numbersOf(events, clusterC.id).slice(2), [1, 2])
  await other.tick('outbox')
  assert.equal(events.length, 4, 'nothing is published again')
})

test('a cluster whose events are refused holds up its own later ones and nobody else', async (t) => {
  const scene = await pullSecretScene(t)
  const subscriber = await startSubscriber(t)
  const outside = await outsideOf(scene, scene.clock, { httpUrl: subscriber.url })
  subscriber.refuses.add('stuck')
  await emit(scene, 'stuck', 1, 2)
  await emit(scene, 'fine', 1, 2, 3)
  await outside.tick('outbox')
  assert.deepEqual(numbersOf(subscriber.events, 'fine'), [1, 2, 3])
  assert.deepEqual(numbersOf(subscriber.events, 'stuck'), [])
  subscriber.refuses.clear()
  await outside.tick('outbox')
  assert.deepEqual(numbersOf(subscriber.events, 'stuck'), [], 'not before its pause is over')
  await scene.clock.advance('5s')
  await outside.tick('outbox')
  assert.deepEqual(numbersOf(subscriber.events, 'stuck'), [1, 2])
})

test('several processes at once publish each event once and in order', async (t) => {
  const scene = await pullSecretScene(t)
  const subscriber = await startSubscriber(t)
  const options = { httpUrl: subscriber.url }
  const outsides = [
    await outsideOf(scene, scene.clock, options),
    await outsideOf(await scene.pod(), scene.clock, options),
    await outsideOf(await scene.pod(), scene.clock, options),
  ]
  const clusters = Array.from({ length: 20 }, (_, number) => `cluster-${number}`)
  for (const cluster of clusters) await emit(scene, cluster, 1, 2, 3)
  while (subscriber.events.length < 60) await Promise.all(outsides.map((outside) => outside.tick('outbox')))
  assert.equal(new Set(subscriber.events.map(({ id }) => id)).size, 60)
  assert.equal(subscriber.events.length, 60)
  for (const cluster of clusters) assert.deepEqual(numbersOf(subscriber.events, cluster), [1, 2, 3])
})

test('events are CloudEvents with our source, the trace and the cluster, and hold no token', async (t) => {
  const scene = await pullSecretScene(t)
  const subscriber = await startSubscriber(t)
  const outside = await outsideOf(scene, scene.clock, { httpUrl: subscriber.url })
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  await scene.service.issuing.generate({ cluster: clusterC }, { name: 'test', traceparent })
  await outside.tick('outbox')
  const [event] = subscriber.events
  assert.equal(event?.specversion, '1.0')
  assert.match(event?.id ?? '', /^[0-9a-f]{8}-[0-9a-f]{4}-7/)
  assert.equal(event?.source, 'test-pull-secrets')
  assert.equal(event?.subject, clusterC.id)
  assert.equal(event?.traceparent, traceparent)
  assert.deepEqual(event?.data, {
    id: clusterC.id,
    kind: 'PullSecret',
    href: `/api/hyperfleet/v1/clusters/${clusterC.id}/pull-secrets`,
    generation: 1,
  })
  assert.ok(!subscriber.bodies.join().includes(scene.canary))
})

test('where nobody is to be told, the outbox stays empty', async (t) => {
  const scene = await pullSecretScene(t)
  const outside = await outsideOf(scene, scene.clock)
  await generate(scene)
  await outside.tick('outbox')
  await outside.tick('status')
  assert.deepEqual(await scene.database.db.selectFrom('event_outbox').selectAll().execute(), [])
})
