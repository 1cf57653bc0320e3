import assert from 'node:assert/strict'
import { test } from 'node:test'
import { entityTag, matches } from './etag.ts'

test('tags are compared weakly, several at once', () => {
  for (const header of ['W/"a"', '"a"', '"x", W/"a"', ' * ', entityTag('a')]) assert.ok(matches(header, 'a'), header)
  for (const header of [undefined, '', 'a', '"b"', 'W/a', '"a']) assert.ok(!matches(header, 'a'), header)
})
