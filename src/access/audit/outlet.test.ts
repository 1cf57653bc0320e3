import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { silentLog } from '../../core/log.ts'
import { systemRandom } from '../../core/random.ts'
import type { AuditRecord } from './chain.ts'
import { Chain } from './chain.ts'
import { Outlet } from './outlet.ts'
import { anEvent } from './testing/events.ts'
import { verifyAudit } from './verify.ts'

function anOutlet(t: TestContext, options: { batchSize?: number; isFinal?: boolean } = {}) {
  const clock = new FakeClock()
  const got: AuditRecord[] = []
  const place = { fails: false, hangs: false, calls: 0 }
  const hub = { fails: false, calls: 0 }
  const driver = {
    batchSize: options.batchSize ?? 10,
    async write(records: readonly AuditRecord[]) {
      place.calls += 1
      if (place.hangs) await new Promise(() => {})
      if (place.fails) throw new Error('it fails')
      got.push(...records)
    },
    isFinal: () => options.isFinal ?? false,
  }
  const counts = { written: 0, dropped: 0 }
  const outlet = new Outlet(new Chain('w'), driver, {
    ...{ clock, random: systemRandom, log: silentLog },
    async introduce(delivered) {
      hub.calls += 1
      assert.equal(delivered().seq, 0)
      assert.equal(place.calls, 0)
      if (hub.fails) throw new Error('it is away')
    },
    gapEvent: ({ dropped }) => anEvent({ type: 'audit.gap', details: { dropped } }),
    onWritten(by) {
      counts.written += by
    },
    onDropped(by) {
      counts.dropped += by
    },
  })
  outlet.configure(driver, 1_000)
  const ending = new AbortController()
  const over = outlet.run(ending.signal)
  const stop = async () => {
    ending.abort()
    await clock.advance(3_000)
    await over
  }
  t.after(stop)
  const proven = () =>
    verifyAudit(
      got.map((record) => JSON.stringify(record)),
      [{ writer: 'w', ...outlet.delivered, at: '', sink: 'log' }],
    )
  return { clock, got, place, hub, outlet, counts, stop, proven, driver }
}

test('what was offered is written in order, as a chain', async (t) => {
  const { clock, got, outlet, proven, counts } = anOutlet(t)
  for (let id = 1; id <= 25; id += 1) outlet.offer(anEvent({ id: `${id}` }))
  await clock.settle()
  assert.deepEqual(
    got.map(({ event }) => event.id),
    Array.from({ length: 25 }, (_, at) => `${at + 1}`),
  )
  assert.equal((await proven()).ok, true)
  assert.equal(counts.written, 25)
})

test('a place that fails is tried again, then left alone, and gets all of it once it is back', async (t) => {
  const { clock, got, place, outlet, proven } = anOutlet(t)
  place.fails = true
  const ends: (string | boolean)[] = []
  using _ = outlet.onDown(() => ends.push('down'))
  void outlet.offerSurely(anEvent({ id: '1' })).then((isSettled) => ends.push(isSettled))
  await clock.advance(10_000)
  assert.deepEqual(ends, ['down'])
  assert.equal(outlet.standing.isHealthy, false)
  assert.equal(outlet.standing.lastError, 'it failed unexpectedly')
  const calls = place.calls
  await clock.advance(5_000)
  assert.ok(place.calls <= calls + 1, 'it is left alone')
  outlet.offer(anEvent({ id: '2' }))
  const third = outlet.offerSurely(anEvent({ id: '3' }))
  place.fails = false
  await clock.advance(20_000)
  assert.deepEqual([ends.at(-1), await third], [true, true])
  assert.deepEqual(
    got.map(({ event }) => event.id),
    ['1', '2', '3'],
  )
  assert.equal((await proven()).ok, true)
  assert.equal(outlet.standing.isHealthy, true)
})

test('what does not fit any more is counted in the chain', async (t) => {
  const { clock, got, place, outlet, proven, counts } = anOutlet(t)
  place.fails = true
  outlet.offer(anEvent({ id: 'first' }))
  await clock.advance(10_000)
  const letGo = outlet.offerSurely(anEvent({ id: '0' }))
  for (let id = 2; id <= 1_500; id += 1) outlet.offer(anEvent({ id: `${id}` }))
  assert.equal(await letGo, false)
  outlet.offer(anEvent({ type: 'session.approved', id: 'kept' }))
  place.fails = false
  await clock.advance(20_000)
  const gap = got.find(({ event }) => event.type === 'audit.gap')
  assert.deepEqual(gap?.event.details, { dropped: { 'access.granted': 501 } })
  assert.equal(counts.dropped, 501)
  assert.equal(outlet.standing.dropped, 501)
  assert.ok(got.some(({ event }) => event.id === 'kept'))
  assert.equal((await proven()).ok, true)
})

test('records that are refused for good leave a gap that is told, and the chain whole', async (t) => {
  const { clock, got, place, outlet, proven } = anOutlet(t, { batchSize: 1, isFinal: true })
  outlet.offer(anEvent({ id: '1' }))
  await clock.settle()
  place.fails = true
  assert.equal(await outlet.offerSurely(anEvent({ id: '2' })), true)
  place.fails = false
  outlet.offer(anEvent({ id: '3' }))
  await clock.advance(1_000)
  assert.deepEqual(
    got.map(({ event }) => event.type),
    ['access.granted', 'audit.gap', 'access.granted'],
  )
  assert.equal((await proven()).ok, true)
})

test('nothing is written before it is on record who writes; until then it waits, and nobody for it', async (t) => {
  // That the hub is away says nothing about the records.
  const { clock, got, place, hub, outlet, proven } = anOutlet(t, { isFinal: true })
  hub.fails = true
  const told = outlet.offerSurely(anEvent({ id: '1' }))
  await clock.advance(10_000)
  outlet.offer(anEvent({ id: '2' }))
  await clock.advance(60_000)
  assert.equal(place.calls, 0)
  assert.equal(outlet.standing.dropped, 0)
  assert.equal(outlet.standing.isHealthy, false)
  hub.fails = false
  await clock.advance(20_000)
  assert.equal(await told, true)
  assert.deepEqual(
    got.map(({ event }) => event.id),
    ['1', '2'],
  )
  const { calls } = hub
  outlet.offer(anEvent({ id: '3' }))
  await clock.settle()
  assert.equal(got.length, 3)
  assert.equal(hub.calls, calls, 'once is enough')
  assert.equal((await proven()).ok, true)
})

test('at the end what waits is written, and a place that hangs does not keep the process', async (t) => {
  const calm = anOutlet(t)
  calm.place.fails = true
  calm.outlet.offer(anEvent({ id: '1' }))
  await calm.clock.settle()
  calm.outlet.offer(anEvent({ id: '2' }))
  calm.place.fails = false
  await calm.stop()
  assert.deepEqual(
    calm.got.map(({ event }) => event.id),
    ['1', '2'],
  )

  const hanging = anOutlet(t)
  hanging.place.hangs = true
  const lost = hanging.outlet.offerSurely(anEvent())
  await hanging.clock.settle()
  await hanging.stop()
  assert.equal(await lost, false)
})
