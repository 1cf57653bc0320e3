import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fnv1a32 } from './fnv1a.ts'

for (const [text, expected] of [
  ['cls-abc-123', -1584207985],
  ['PullSecret', 2100317334],
  ['', -2128831035],
  ['ü', 295556170],
] as const) {
  test(`the lock number of "${text}" is ${expected}`, () => assert.equal(fnv1a32(text), expected))
}
