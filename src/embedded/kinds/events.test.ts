import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cellsOf, created, whyNotCreated, whyNotUpdated } from '../../../test/support/kind-rules.ts'
import { convertEvent } from './event-conversion.ts'
import { coreEvents, newEvents } from './events.ts'

const regarding = { kind: 'Pod', namespace: 'here', name: 'web' }
const told = {
  apiVersion: 'events.k8s.io/v1',
  kind: 'Event',
  eventTime: '2026-01-02T03:04:05.000006Z',
  type: 'Normal',
  reason: 'Tested',
  action: 'Test',
  reportingController: 'x.io/y',
  reportingInstance: 'z',
  regarding,
}

test('an event comes back from the other form as it went', () => {
  const event = created(newEvents, { ...told, note: 'well', deprecatedCount: 3, series: { count: 2 } })
  const core = convertEvent(event, 'v1')
  assert.deepEqual([core.kind, core['involvedObject'], core['message'], core['count']], ['Event', regarding, 'well', 3])
  assert.equal('note' in core, false)
  assert.deepEqual(convertEvent(core, 'events.k8s.io/v1'), event)
  assert.equal(convertEvent(core, 'v1'), core)
})

test('what is empty is shown, each form in its way', () => {
  const core = created(coreEvents, { apiVersion: 'v1', kind: 'Event' })
  assert.deepEqual([core['source'], core['eventTime'], core['reportingComponent']], [{}, null, ''])
  const other = convertEvent(core, 'events.k8s.io/v1')
  assert.deepEqual([other['deprecatedSource'], other['deprecatedFirstTimestamp']], [{}, null])
  assert.equal('reportingController' in other, false)
})

test('new events are held to more', () => {
  assert.deepEqual(whyNotCreated(newEvents, told), [])
  assert.deepEqual(whyNotCreated(newEvents, { ...told, eventTime: undefined, type: 'Odd' }), [
    'eventTime: Required value',
    'type: Invalid value: "": has invalid value: Odd',
  ])
  assert.deepEqual(whyNotCreated(coreEvents, { apiVersion: 'v1', involvedObject: regarding, type: 'Odd' }), [])
})

test('the story of an event does not change, its series does', () => {
  const old = created(newEvents, told)
  const series = { count: 2, lastObservedTime: '2026-01-02T03:04:06.000006Z' }
  assert.deepEqual(whyNotUpdated(newEvents, old, { series }), [])
  assert.deepEqual(
    whyNotUpdated(newEvents, old, { note: 'other', reportingController: 'x.io/z', series: { count: 1 } }),
    [
      'series.count: Invalid value: "": should be at least 2',
      'series.lastObservedTime: Required value',
      'message: Invalid value: "other": field is immutable',
      'reportingController: Invalid value: "x.io/z": field is immutable',
    ],
  )
})

test('the same event has the same cells and selectors in both forms', () => {
  const event = created(newEvents, told)
  const core = convertEvent(event, 'v1')
  assert.deepEqual(cellsOf(newEvents, event), cellsOf(coreEvents, core))
  assert.equal(cellsOf(newEvents, event)['Source'], 'x.io/y, z')
  assert.deepEqual(
    [newEvents.selectable?.['regarding.name']?.(event), coreEvents.selectable?.['involvedObject.name']?.(core)],
    ['web', 'web'],
  )
  assert.equal(coreEvents.selectable?.['source']?.(core), 'x.io/y')
  assert.deepEqual(
    [event, core].map((one) => newEvents.selectable?.['reportingController']?.(one)),
    ['x.io/y', 'x.io/y'],
  )
  assert.equal(newEvents.selectable?.['regarding.name']?.(core), 'web')
})
