import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchesLabels, SelectorFailure, selectorOf } from './label-selector.ts'
import { parseLabelSelector } from './parse-label-selector.ts'

const selects = (text: string, labels: Record<string, string>) => matchesLabels(parseLabelSelector(text), labels)

test('each operator selects what Kubernetes says it does', () => {
  const labels = { app: 'web', tier: '', count: '12' }
  const selected = [
    ['', 'app', '!other', 'app=web', 'app!=db', 'other!=web', 'tier=', 'tier', 'tier in ()', 'other notin ()'],
    ['app in (db,web)', 'app notin (db)', 'other notin (db)', 'count>11', 'count<13', 'count>0'],
    ['app=web,count>1,!other'],
  ].flat()
  const passed = [
    ['other', '!app', 'app=db', 'app!=web', 'other=', 'app=', 'app in (db)', 'other in (web)', 'app notin (web)'],
    ['count>12', 'count<12', 'app>1', 'other<1', 'tier<1', 'app=web,other'],
  ].flat()
  assert.deepEqual(
    [...selected, ...passed].filter((text) => selects(text, labels)),
    selected,
  )
})

test('numbers past 64 bits are none', () => {
  assert.ok(selects('n>9223372036854775806', { n: '9223372036854775807' }))
  assert.ok(!selects('n>1', { n: '9223372036854775808' }))
  assert.ok(!selects('n<1', { n: '1e-3' }))
})

test('names that every JavaScript object knows are labels like others', () => {
  assert.ok(!selects('constructor', {}))
  assert.ok(selects('!valueOf,!toString', {}))
  assert.ok(selects('constructor=x', { constructor: 'x' } as unknown as Record<string, string>))
})

test('a selector in an object is read as one, an operator that nobody knows is refused', () => {
  const selector = selectorOf({
    matchLabels: { app: 'web' },
    matchExpressions: [
      { key: 'tier', operator: 'In', values: ['a', 'b'] },
      { key: 'zone', operator: 'NotIn', values: ['c'] },
      { key: 'owner', operator: 'Exists' },
      { key: 'old', operator: 'DoesNotExist' },
    ],
  })
  assert.ok(matchesLabels(selector, { app: 'web', tier: 'b', owner: '' }))
  assert.ok(!matchesLabels(selector, { app: 'web', tier: 'b', owner: '', zone: 'c' }))
  assert.ok(!matchesLabels(selector, { app: 'web', tier: 'b', owner: '', old: '' }))
  assert.deepEqual(selectorOf({}), [])
  assert.throws(() => selectorOf({ matchExpressions: [{ key: 'a', operator: 'Gt' }] }), SelectorFailure)
})
