import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isModifiedSince, matchesTag } from './conditional.ts'

test('a tag matches among several, weak or not', () => {
  for (const header of ['"a"', 'W/"a"', '"b", "a"', '"b",W/"a"', '*']) assert.ok(matchesTag(header, '"a"'), header)
  for (const header of ['', 'a', '"b"', '"ab"', '"a', '"b", "c"']) assert.ok(!matchesTag(header, '"a"'), header)
})

test('what changed within a second is not modified since', () => {
  const changed = new Date('2026-01-01T00:00:00.900Z')
  assert.ok(!isModifiedSince('Thu, 01 Jan 2026 00:00:00 GMT', changed))
  assert.ok(!isModifiedSince('Thu, 01 Jan 2026 00:00:01 GMT', changed))
  assert.ok(isModifiedSince('Wed, 31 Dec 2025 23:59:59 GMT', changed))
})

test('a date that cannot be read asks nothing', () => {
  for (const header of [undefined, '', 'yesterday']) assert.ok(isModifiedSince(header, new Date(0)))
})
