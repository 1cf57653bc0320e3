import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timeText } from '../time-text.ts'
import { ageText, durationText } from './age.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

const told: [number, string][] = [
  [-5 * second, '<invalid>'],
  [-1.5 * second, '0s'],
  [0, '0s'],
  [119.9 * second, '119s'],
  [2 * minute, '2m'],
  [2 * minute + 5 * second, '2m5s'],
  [9 * minute + 59 * second, '9m59s'],
  [10 * minute + 30 * second, '10m'],
  [179 * minute, '179m'],
  [3 * hour, '3h'],
  [7 * hour + 59 * minute, '7h59m'],
  [8 * hour + 59 * minute, '8h'],
  [47 * hour, '47h'],
  [48 * hour, '2d'],
  [7 * day + 23 * hour, '7d23h'],
  [8 * day + 23 * hour, '8d'],
  [729 * day, '729d'],
  [730 * day, '2y'],
  [731 * day, '2y1d'],
  [8 * 365 * day, '8y'],
  [9 * 365 * day + 40 * day, '9y'],
]

test('a duration is told in as few figures as will do', () => {
  for (const [ms, text] of told) assert.equal(durationText(ms), text, `${ms} ms`)
})

test('the age of something without a time is unknown', () => {
  const now = new Date('2026-01-02T03:04:05Z')
  assert.equal(ageText(null, now), '<unknown>')
  assert.equal(ageText('2026-01-02T03:03:05Z', now), '60s')
})

test('timestamps are whole seconds', () => {
  assert.equal(timeText(new Date('2026-01-02T03:04:05.999Z')), '2026-01-02T03:04:05Z')
})
