import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { durationOr, formatDuration, parseDuration } from './duration.ts'

const durations: [text: string, ms: number | undefined][] = [
  ['1h', 3_600_000],
  ['90m', 5_400_000],
  ['1h30m', 5_400_000],
  ['1d', 86_400_000],
  ['1d12h', 129_600_000],
  ['1.5h', 5_400_000],
  ['250ms', 250],
  ['0s', 0],
  ['720h', 2_592_000_000],
  ['', undefined],
  ['1', undefined],
  ['-1h', undefined],
  ['1 h', undefined],
  ['1h1d', undefined],
  ['1.5d', undefined],
  ['h', undefined],
  ['1w', undefined],
  ['99999999d', undefined],
]
for (const [text, ms] of durations)
  test(`'${text}' is ${ms === undefined ? 'no duration' : `${ms} ms`}`, () => assert.equal(parseDuration(text), ms))

test('what is absent or no duration is the other value', () => {
  assert.equal(durationOr(undefined, 5), 5)
  assert.equal(durationOr('soon', 5), 5)
  assert.equal(durationOr('2ms', 5), 2)
})

test('durations are written as briefly as can be, and without days', () => {
  assert.equal(formatDuration(60_000), '1m')
  assert.equal(formatDuration(5_400_000), '1h30m')
  assert.equal(formatDuration(86_400_000), '24h')
  assert.equal(formatDuration(3_661_001), '1h1m1s1ms')
  assert.equal(formatDuration(0), '0s')
})

test('what was written is read as the same', () => {
  fc.assert(fc.property(fc.integer({ min: 0, max: 10 ** 12 }), (ms) => parseDuration(formatDuration(ms)) === ms))
})
