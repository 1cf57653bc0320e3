import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Condition, ConditionReport } from './conditions.ts'
import { findCondition, isTrue, removeCondition, rfc3339, setCondition } from './conditions.ts'
import { reasonCatalogue } from './reason.ts'

const reasons = reasonCatalogue({ AsExpected: 'all is well', TokenExpired: 'the token has expired' })
const [noon, later] = [new Date('2026-01-01T12:00:00.789Z'), new Date('2026-01-01T13:00:00Z')]

const aReport = (changes: Partial<ConditionReport> = {}): ConditionReport => ({
  type: 'Ready',
  status: 'True',
  reason: reasons.AsExpected,
  message: 'nothing to do',
  ...changes,
})

test('a new condition is added with the time it was made, in whole seconds', () => {
  assert.deepEqual(setCondition(undefined, aReport({ observedGeneration: 3 }), noon), [
    {
      type: 'Ready',
      status: 'True',
      reason: 'AsExpected',
      message: 'nothing to do',
      observedGeneration: 3,
      lastTransitionTime: '2026-01-01T12:00:00Z',
    },
  ])
})

test('reporting the same again gives the same array', () => {
  const list = setCondition([], aReport({ observedGeneration: 3 }), noon)
  assert.equal(setCondition(list, aReport({ observedGeneration: 3 }), later), list)
  assert.equal(setCondition(list, aReport(), later), list, 'without a generation, the known one stays')
})

test('the transition time stays while the status does, whatever else changes', () => {
  const list = setCondition([], aReport({ observedGeneration: 1 }), noon)
  const next = setCondition(list, aReport({ message: 'other', observedGeneration: 2 }), later)
  assert.notEqual(next, list)
  assert.deepEqual(next[0], { ...list[0], message: 'other', observedGeneration: 2 })
})

test('the transition time moves with the status', () => {
  const list = setCondition([], aReport(), noon)
  const next = setCondition(list, aReport({ status: 'False', reason: reasons.TokenExpired }), later)
  assert.equal(next[0]?.lastTransitionTime, rfc3339(later))
})

test('the input is left alone and other conditions keep their place', () => {
  const list = setCondition(setCondition([], aReport(), noon), aReport({ type: 'Joined' }), noon)
  const before = structuredClone(list)
  const next = setCondition(list, aReport({ status: 'Unknown' }), later)
  assert.deepEqual(list, before)
  assert.deepEqual(
    next.map(({ type }) => type),
    ['Ready', 'Joined'],
  )
  assert.equal(next[1], list[1])
})

test('conditions are found and asked by type', () => {
  const list = setCondition(setCondition([], aReport(), noon), aReport({ type: 'Joined', status: 'Unknown' }), noon)
  assert.equal(findCondition(list, 'Joined')?.status, 'Unknown')
  assert.equal(findCondition(list, 'Join'), undefined)
  assert.deepEqual([isTrue(list, 'Ready'), isTrue(list, 'Joined'), isTrue(undefined, 'Ready')], [true, false, false])
})

test('a removed condition is gone; removing what is not there gives the same array', () => {
  const list = setCondition([], aReport(), noon)
  assert.deepEqual(removeCondition(list, 'Ready'), [])
  assert.equal(removeCondition(list, 'Joined'), list)
})

test('however reports arrive, each type is there once and its transition time is that of its last change of status', () => {
  const report = fc.record({
    type: fc.constantFrom('Ready', 'Joined', 'Available'),
    status: fc.constantFrom('True' as const, 'False' as const, 'Unknown' as const),
    message: fc.constantFrom('a', 'b'),
  })
  fc.assert(
    fc.property(fc.array(report), (reports) => {
      let list: Condition[] = []
      const expected = new Map<string, { status: string; at: string }>()
      reports.forEach((changes, hour) => {
        const now = new Date(Date.UTC(2026, 0, 1, hour))
        list = setCondition(list, aReport(changes), now)
        if (expected.get(changes.type)?.status !== changes.status)
          expected.set(changes.type, { status: changes.status, at: rfc3339(now) })
      })
      assert.deepEqual(new Map(list.map((c) => [c.type, { status: c.status, at: c.lastTransitionTime }])), expected)
      assert.equal(list.length, expected.size)
    }),
  )
})
