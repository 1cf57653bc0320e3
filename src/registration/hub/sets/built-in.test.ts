import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSameSelector } from './built-in.ts'

const everything = { selectorType: 'LabelSelector' as const, labelSelector: {} }
const byLabel = { selectorType: 'ExclusiveClusterSetLabel' as const }

test('absent and empty requirements are the same', () => {
  assert.ok(
    isSameSelector(
      { selectorType: 'LabelSelector', labelSelector: { matchLabels: {}, matchExpressions: [] } },
      everything,
    ),
  )
  assert.ok(isSameSelector(byLabel, byLabel))
})

test('another type, a missing selector and any requirement are not', () => {
  assert.ok(!isSameSelector(undefined, byLabel))
  assert.ok(!isSameSelector(byLabel, everything))
  assert.ok(!isSameSelector({ selectorType: 'LabelSelector' }, everything))
  assert.ok(!isSameSelector({ selectorType: 'LabelSelector', labelSelector: { matchLabels: { a: 'b' } } }, everything))
  assert.ok(!isSameSelector({ ...byLabel, labelSelector: {} }, byLabel))
})
