import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stampTaints } from './taints.ts'

const now = new Date('2026-03-01T12:00:00Z')
const noon = '2026-03-01T12:00:00Z'
const before = '2026-02-01T00:00:00Z'
const a = { key: 'a', effect: 'NoSelect' }

const timesOf = (sent: unknown[], old: unknown[] | undefined) => {
  const stamped = stampTaints(sent, old, now)
  if ('mistake' in stamped) return stamped.mistake
  return stamped.taints.map((taint) => (taint as { timeAdded?: unknown } | null)?.timeAdded)
}

test('every taint of a new cluster is dated now, whatever it says', () => {
  assert.deepEqual(timesOf([a, { ...a, key: 'b', timeAdded: before }, { ...a, timeAdded: null }], undefined), [
    noon,
    noon,
    noon,
  ])
})

test('a taint that stays keeps its time, sent back, left out or written differently', () => {
  const old = [{ ...a, timeAdded: before }]
  for (const timeAdded of [before, undefined, null, '2026-02-01T01:00:00+01:00'])
    assert.deepEqual(timesOf([{ ...a, timeAdded }], old), [before])
  assert.deepEqual(timesOf([{ ...a, value: '' }], old), [before])
})

test('another value or effect is dated now, with the old time sent back or not', () => {
  const old = [{ ...a, timeAdded: before }]
  for (const timeAdded of [before, undefined]) {
    assert.deepEqual(timesOf([{ ...a, value: 'v', timeAdded }], old), [noon])
    assert.deepEqual(timesOf([{ ...a, effect: 'PreferNoSelect', timeAdded }], old), [noon])
  }
})

test('a time of one’s own is a mistake that names its place', () => {
  const old = [{ ...a, timeAdded: before }]
  const mistake = /^spec\.taints\[1\]\.timeAdded must not be set/
  for (const wrong of [
    { key: 'b', effect: 'NoSelect', timeAdded: before },
    { ...a, timeAdded: noon },
    { ...a, timeAdded: 'nonsense' },
    { ...a, effect: 'PreferNoSelect', timeAdded: noon },
  ])
    assert.match(String(timesOf([a, wrong], old)), mistake)
  assert.match(String(timesOf([a, { ...a, timeAdded: noon }], [a])), mistake)
})

test('two taints of one key are told apart by value and effect', () => {
  const other = { ...a, effect: 'PreferNoSelect' }
  const old = [
    { ...a, timeAdded: before },
    { ...other, timeAdded: '2026-02-02T00:00:00Z' },
  ]
  assert.deepEqual(timesOf([other, a], old), ['2026-02-02T00:00:00Z', before])
  assert.match(String(timesOf([{ ...a, timeAdded: '2026-02-02T00:00:00Z' }], old)), /taints\[0\]/)
})

test('one that was stored without a time is dated, and what is no taint is left to the schema', () => {
  assert.deepEqual(timesOf([a], [a]), [noon])
  assert.deepEqual(timesOf([null, 'x'], [null]), [undefined, undefined])
})
