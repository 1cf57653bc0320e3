import assert from 'node:assert/strict'
import { test } from 'node:test'
import { momentFrom, spanSeconds } from './access-flag-values.ts'

test('a span is given with its unit', () => {
  assert.deepEqual([spanSeconds('90s'), spanSeconds('1h30m'), spanSeconds('1d')], [90, 5_400, 86_400])
  for (const wrong of ['', '2', 'h', '0s', '-1h', '2 h']) assert.throws(() => spanSeconds(wrong), /30m/, wrong)
})

test('a moment has a zone, or is so far from now', () => {
  const moment = momentFrom(() => new Date('2026-08-20T10:00:00.400Z'))
  assert.equal(moment('2026-08-20T22:00:00+02:00'), '2026-08-20T20:00:00Z')
  assert.equal(moment('+90m'), '2026-08-20T11:30:00Z')
  for (const wrong of ['22:00', '2026-08-20T22:00:00', '2026-13-40T22:00:00Z', '+soon', '+'])
    assert.throws(() => moment(wrong), /zone/, wrong)
})
