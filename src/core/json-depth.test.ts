import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { nestsDeeper } from './json-depth.ts'

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0

test('of any JSON the depth is that of its value, whatever its texts hold', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(7), (value, levels) => {
      for (const text of [JSON.stringify(value), JSON.stringify(value, undefined, 2)])
        assert.equal(nestsDeeper(Buffer.from(text), levels), depthOf(value) > levels)
    }),
  )
})

test('brackets in texts are none, also behind escaped quotes', () => {
  assert.equal(nestsDeeper(Buffer.from('["[[[[", "\\"[[[[", "\\\\", "[["]'), 1), false)
  assert.equal(nestsDeeper(Buffer.from('['.repeat(1_000_000)), 100), true)
})
