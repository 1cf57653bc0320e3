import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Lease } from 'kubernetes-types/coordination/v1.d.ts'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { leaseName } from '../../fleet/names.ts'
import type { Handler } from '../../kube/informer.ts'
import type { Stored } from '../../kube/objects.ts'
import { graceMs, heartbeats, leaseDurationMs, staleAt } from './heartbeats.ts'

const began = new Date('2026-03-01T12:00:00Z')

function lease(namespace: string, renewTime?: string, name: string = leaseName): Stored<Lease> {
  return {
    metadata: { name, namespace, uid: 'u', resourceVersion: '1' },
    spec: { ...(renewTime !== undefined && { renewTime }) },
  }
}

function scene() {
  const clock = new FakeClock(began)
  let tell: Handler<Lease> = () => {}
  const beats = heartbeats(
    {
      on(handler) {
        tell = handler
        return { [Symbol.dispose]() {} }
      },
    },
    clock,
  )
  return { clock, beats, tell: (change: Parameters<Handler<Lease>>[0]) => tell(change) }
}

test('a lease that is new to the hub is heard, but was not seen to be renewed', () => {
  const { beats, tell } = scene()
  tell({ type: 'added', object: lease('west', '2020-01-01T00:00:00.000000Z') })
  assert.deepEqual([beats.receivedAt('west'), beats.renewedAt('west')], [began, undefined])
})

test('a renewTime that changed was received now, even if it goes back', async () => {
  const { clock, beats, tell } = scene()
  const old = lease('west', '2026-03-01T12:00:00.000000Z')
  tell({ type: 'added', object: old })
  await clock.advance(5_000)
  tell({ type: 'updated', previous: old, object: lease('west', '2019-01-01T00:00:00.000000Z') })
  const now = new Date(began.getTime() + 5_000)
  assert.deepEqual([beats.receivedAt('west'), beats.renewedAt('west')], [now, now])
})

test('other changes of a lease, and other leases, are no heartbeat', async () => {
  const { clock, beats, tell } = scene()
  const old = lease('west', 'a')
  tell({ type: 'added', object: old })
  await clock.advance(5_000)
  tell({ type: 'updated', previous: old, object: lease('west', 'a') })
  tell({ type: 'added', object: lease('east', 'a', 'some-addon') })
  assert.deepEqual([beats.receivedAt('west'), beats.renewedAt('west')], [began, undefined])
  assert.equal(beats.receivedAt('east'), undefined)
})

test('a renewTime that was looked up is received once, as a renewal of the moment at which the old one was known', async () => {
  const { clock, beats, tell } = scene()
  const heard = () => [beats.receivedAt('west'), beats.renewedAt('west')]
  const old = lease('west', 'a')
  tell({ type: 'added', object: old })
  await clock.advance(5_000)
  beats.looked('west', 'a')
  assert.deepEqual(heard(), [began, undefined])
  beats.looked('west', 'b')
  const first = clock.now()
  assert.deepEqual(heard(), [first, began])
  await clock.advance(5_000)
  tell({ type: 'updated', previous: old, object: lease('west', 'b') })
  assert.deepEqual(heard(), [first, began])
  beats.looked('west', 'c')
  assert.deepEqual(heard(), [clock.now(), first])
})

test('what a watch that hung tells of before the one that was looked up is received, and no renewal of now', async () => {
  const { clock, beats, tell } = scene()
  const at = (second: number) => lease('west', `2026-03-01T12:00:0${second}.000000Z`)
  const heard = () => [beats.receivedAt('west'), beats.renewedAt('west')]
  tell({ type: 'added', object: at(1) })
  await clock.advance(5_000)
  beats.looked('west', at(3).spec?.renewTime)
  await clock.advance(5_000)
  tell({ type: 'updated', previous: at(1), object: at(2) })
  const late = clock.now()
  assert.deepEqual(heard(), [late, began])
  await clock.advance(5_000)
  tell({ type: 'updated', previous: at(2), object: at(3) })
  assert.deepEqual(heard(), [late, began])
  tell({ type: 'updated', previous: at(3), object: at(4) })
  assert.deepEqual(heard(), [clock.now(), clock.now()])
  await clock.advance(5_000)
  tell({ type: 'updated', previous: at(4), object: at(2) })
  assert.deepEqual(heard(), [clock.now(), clock.now()])
})

test('a lease that was looked up before the watch brings it is heard, and was not seen to be renewed', async () => {
  const { clock, beats, tell } = scene()
  beats.looked('west', 'a')
  assert.deepEqual([beats.receivedAt('west'), beats.renewedAt('west')], [began, undefined])
  beats.looked('west', 'a')
  await clock.advance(5_000)
  tell({ type: 'added', object: lease('west', 'a') })
  assert.deepEqual([beats.receivedAt('west'), beats.renewedAt('west')], [began, undefined])
})

test('a watch that brings a lease after it was looked up tells of no renewal that was known', async () => {
  const { clock, beats, tell } = scene()
  const at = (second: number) => lease('west', `2026-03-01T12:00:0${second}.000000Z`)
  const heard = () => [beats.receivedAt('west'), beats.renewedAt('west')]
  beats.looked('west', at(5).spec?.renewTime)
  await clock.advance(5_000)
  tell({ type: 'added', object: at(1) })
  assert.deepEqual(heard(), [clock.now(), undefined])
  await clock.advance(5_000)
  const late = clock.now()
  tell({ type: 'updated', previous: at(1), object: at(2) })
  tell({ type: 'updated', previous: at(2), object: at(5) })
  assert.deepEqual(heard(), [late, undefined])
})

test('a lease that was renewed between the look and the watch was renewed at the earliest moment that may be', async () => {
  const { clock, beats, tell } = scene()
  beats.looked('west', 'a')
  await clock.advance(5_000)
  tell({ type: 'added', object: lease('west', 'b') })
  assert.deepEqual([beats.receivedAt('west'), beats.renewedAt('west')], [clock.now(), began])
})

test('what was received late does not move the earliest moment of the next renewal', async () => {
  const { clock, beats, tell } = scene()
  const at = (second: number) => lease('west', `2026-03-01T12:00:0${second}.000000Z`)
  tell({ type: 'added', object: at(1) })
  await clock.advance(5_000)
  beats.looked('west', at(3).spec?.renewTime)
  const known = clock.now()
  await clock.advance(5_000)
  tell({ type: 'updated', previous: at(1), object: at(2) })
  await clock.advance(5_000)
  beats.looked('west', at(4).spec?.renewTime)
  assert.deepEqual(beats.renewedAt('west'), known)
})

test('once the watch has come to what was looked up, an agent whose clock goes back is seen to renew', async () => {
  const { clock, beats, tell } = scene()
  const at = (second: number) => lease('west', `2026-03-01T12:00:0${second}.000000Z`)
  tell({ type: 'added', object: at(1) })
  beats.looked('west', at(5).spec?.renewTime)
  tell({ type: 'updated', previous: at(1), object: at(5) })
  await clock.advance(5_000)
  tell({ type: 'updated', previous: at(5), object: at(2) })
  assert.deepEqual([beats.receivedAt('west'), beats.renewedAt('west')], [clock.now(), clock.now()])
})

test('a deleted lease is forgotten', () => {
  const { beats, tell } = scene()
  tell({ type: 'added', object: lease('west', 'a') })
  tell({ type: 'deleted', object: lease('west', 'a') })
  assert.equal(beats.receivedAt('west'), undefined)
})

test('the grace is so many lease durations; a duration of 0 or none means 60 seconds', () => {
  const grace = { leaseGraceFactor: 5 }
  assert.equal(graceMs({ spec: { leaseDurationSeconds: 10 } }, grace), 50_000)
  assert.deepEqual([leaseDurationMs({}), leaseDurationMs({ spec: { leaseDurationSeconds: 0 } })], [60_000, 60_000])
  assert.deepEqual(staleAt({}, began, grace), new Date('2026-03-01T12:05:00Z'))
})

test('what was heard is no later than now where the clock was set back, and is counted from there on', async () => {
  const { clock, beats, tell } = scene()
  tell({ type: 'added', object: lease('west', 'a') })
  const setBackTo = new Date(began.getTime() - 3_600_000)
  await clock.jumpTo(setBackTo)
  assert.deepEqual(beats.receivedAt('west'), setBackTo)
  await clock.advance(5_000)
  assert.deepEqual(beats.receivedAt('west'), setBackTo)
})
