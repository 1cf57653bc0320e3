import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leftOver, union } from './related.ts'

const one = (name: string, namespace?: string) => ({
  group: 'g',
  version: 'v1',
  resource: 'r',
  name,
  ...(namespace !== undefined && { namespace }),
})

test('what was listed stays listed until it is gone, and nothing is listed twice', () => {
  assert.deepEqual(union([one('a'), one('b', 'n')], [one('b', 'n'), one('b')]), [one('b', 'n'), one('b'), one('a')])
})

test('what is no longer wanted goes, the last made first; names are compared whole', () => {
  assert.deepEqual(leftOver([one('a'), one('a', 'n'), one('ab')], [one('a', 'n')]), [one('ab'), one('a')])
})
