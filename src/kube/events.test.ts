import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { kubeFailure, MemoryKube, unreachable } from '../../test/support/memory-kube.ts'
import { silentLog } from '../core/log.ts'
import { reasonCatalogue } from '../core/reason.ts'
import type { EventRecorderOptions } from './events.ts'
import { eventRecorder } from './events.ts'
import { clusterRoles, configMaps, events } from './kinds.ts'

const reasons = reasonCatalogue({ Renewed: 'the pass was renewed', Denied: 'the request was denied' })

const aConfigMap = (name: string) =>
  ({ metadata: { namespace: 'west', name, uid: `uid-${name}`, resourceVersion: '7' } }) as const

function aRecorder(options: Partial<EventRecorderOptions> = {}) {
  const clock = new FakeClock()
  const kube = new MemoryKube(clock)
  const record = () => eventRecorder(kube, { log: silentLog, component: 'lanyard-hub', ...options, clock })
  const written = async (namespace = 'west') => (await kube.of(events, namespace).list()).items
  return { clock, kube, recorder: record(), another: record, written }
}
const count = (all: { count?: number }[]) => all.map((event) => event.count)

test('an event tells what happened to which object, as kubectl describe looks for it', async () => {
  const { recorder, written } = aRecorder({ instance: 'hub-0' })
  recorder.record(configMaps, aConfigMap('a'), { type: 'Warning', reason: reasons.Denied, message: 'ask again' })
  await recorder.flush()
  const [event, ...more] = await written()
  assert.equal(more.length, 0)
  assert.match(event?.metadata.name ?? '', /^a\.[0-9a-f]{16}$/)
  const { metadata: _, ...rest } = event ?? {}
  assert.deepEqual(rest, {
    apiVersion: 'v1',
    kind: 'Event',
    involvedObject: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      namespace: 'west',
      name: 'a',
      uid: 'uid-a',
      resourceVersion: '7',
    },
    type: 'Warning',
    reason: 'Denied',
    message: 'ask again',
    count: 1,
    firstTimestamp: '2026-01-01T00:00:00Z',
    lastTimestamp: '2026-01-01T00:00:00Z',
    source: { component: 'lanyard-hub' },
    reportingComponent: 'lanyard-hub',
    reportingInstance: 'hub-0',
  })
})

test('the same event again adds to its count, also by another recorder', async () => {
  const { clock, recorder, another, written } = aRecorder()
  const renewed = { reason: reasons.Renewed, message: 'for an hour' }
  for (const each of [recorder, recorder, another(), another()]) {
    each.record(configMaps, aConfigMap('a'), renewed)
    each.record(configMaps, aConfigMap('a'), renewed)
    await each.flush()
    await clock.advance('1m')
  }
  recorder.record(configMaps, aConfigMap('a'), { ...renewed, message: 'for a day' })
  recorder.record(configMaps, aConfigMap('b'), renewed)
  await recorder.flush()
  const all = await written()
  assert.deepEqual(count(all), [8, 1, 1])
  assert.deepEqual([all[0]?.firstTimestamp, all[0]?.lastTimestamp], ['2026-01-01T00:00:00Z', '2026-01-01T00:03:00Z'])
})

test('an event that the server has let expire is written anew', async () => {
  const { kube, recorder, written } = aRecorder()
  const renewed = { reason: reasons.Renewed, message: 'for an hour' }
  recorder.record(configMaps, aConfigMap('a'), renewed)
  await recorder.flush()
  await kube.of(events, 'west').delete((await written())[0]?.metadata.name ?? '')
  recorder.record(configMaps, aConfigMap('a'), renewed)
  await recorder.flush()
  assert.deepEqual(count(await written()), [1])
})

test('an object that says too much is cut off; others are not', async () => {
  const { clock, recorder, written } = aRecorder()
  const say = (name: string, n: number) =>
    recorder.record(configMaps, aConfigMap(name), { reason: reasons.Renewed, message: `${n}` })
  for (let n = 0; n < 100; n++) say('chatty', n)
  say('quiet', 0)
  await recorder.flush()
  assert.equal((await written()).length, 25 + 1)
  await clock.advance('10m')
  for (let n = 100; n < 200; n++) say('chatty', n)
  await recorder.flush()
  assert.equal((await written()).length, 25 + 1 + 2)
})

test('cluster-scoped objects have their events in default, under a name that is allowed', async () => {
  const { recorder, written } = aRecorder()
  const metadata = { name: `system:node:${'X'.repeat(240)}`, uid: 'u' }
  recorder.record(clusterRoles, { metadata, rules: [] }, { reason: reasons.Renewed, message: 'x'.repeat(5_000) })
  await recorder.flush()
  const [event] = await written('default')
  assert.match(event?.metadata.name ?? '', /^system-node-x+\.[0-9a-f]{16}$/)
  assert.ok((event?.metadata.name.length ?? 999) <= 253)
  assert.equal(event?.message?.length, 1_024)
  assert.equal(event?.involvedObject.name, metadata.name)
})

test('whoever records waits for nothing and sees no failure', async () => {
  const logged: unknown[] = []
  const log = { ...silentLog, debug: (fields: unknown) => logged.push(fields) } as unknown as typeof silentLog
  const { kube, recorder, written } = aRecorder({ log })
  kube.failNext(1, unreachable())
  kube.failNext(1, kubeFailure(403, 'Forbidden'))
  for (const name of ['a', 'b', 'c'])
    recorder.record(configMaps, aConfigMap(name), { reason: reasons.Renewed, message: 'for an hour' })
  await recorder.flush()
  assert.deepEqual(
    (await written()).map(({ involvedObject }) => involvedObject.name),
    ['c'],
  )
  assert.equal(logged.length, 2)
})

test('what does not fit into the buffer is dropped', async () => {
  const { recorder, written } = aRecorder({ bufferSize: 3 })
  for (let n = 0; n < 10; n++)
    recorder.record(configMaps, aConfigMap(`${n}`), { reason: reasons.Renewed, message: 'for an hour' })
  await recorder.flush()
  assert.equal((await written()).length, 3)
})

test('a flush gives up after its time and leaves no timer behind', async () => {
  const { clock, kube, recorder } = aRecorder()
  kube.delayMs = 60_000
  recorder.record(configMaps, aConfigMap('a'), { reason: reasons.Renewed, message: 'for an hour' })
  let isFlushed = false
  const flushed = recorder.flush(2_000).then(() => {
    isFlushed = true
  })
  await clock.advance('1999ms')
  assert.equal(isFlushed, false)
  await clock.advance('1ms')
  await flushed
  await clock.advance('1m')
  assert.equal(clock.nextDue, undefined)
})

test('what looks like a credential is not told, also where it would be cut', async () => {
  const { recorder, written } = aRecorder()
  const message = `${'x'.repeat(1_000)} https://lanyard:hunter2canary@quay.io`
  recorder.record(configMaps, aConfigMap('a'), { reason: reasons.Denied, message })
  await recorder.flush()
  assert.match((await written())[0]?.message ?? '', /lanyard:\*\*\*/)
})
