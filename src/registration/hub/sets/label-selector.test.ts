import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LabelSelector } from './label-selector.ts'
import { selects } from './label-selector.ts'

const labels = { region: 'eu', tier: '' }
const requires = (key: string, operator: string, ...values: string[]): LabelSelector => ({
  matchExpressions: [{ key, operator, ...(values.length > 0 && { values }) }],
})

const cases: [what: string, selector: LabelSelector | undefined, expected: boolean][] = [
  ['no selector', undefined, false],
  ['an empty one', {}, true],
  ['an equal label', { matchLabels: { region: 'eu' } }, true],
  ['another value', { matchLabels: { region: 'us' } }, false],
  ['a missing label', { matchLabels: { zone: '' } }, false],
  ['an empty value', { matchLabels: { tier: '' } }, true],
  ['In', requires('region', 'In', 'us', 'eu'), true],
  ['In without it', requires('region', 'In', 'us'), false],
  ['In of a missing label', requires('zone', 'In', ''), false],
  ['In of nothing, which Kubernetes refuses', requires('region', 'In'), false],
  ['NotIn', requires('region', 'NotIn', 'us'), true],
  ['NotIn with it', requires('region', 'NotIn', 'eu'), false],
  ['NotIn of a missing label', requires('zone', 'NotIn', 'a'), true],
  ['NotIn of nothing, which Kubernetes refuses', requires('region', 'NotIn'), false],
  ['Exists', requires('tier', 'Exists'), true],
  ['Exists of a missing label', requires('zone', 'Exists'), false],
  ['Exists with values, which Kubernetes refuses', requires('tier', 'Exists', 'a'), false],
  ['DoesNotExist', requires('zone', 'DoesNotExist'), true],
  ['DoesNotExist of a label that does', requires('tier', 'DoesNotExist'), false],
  ['what every object inherits', requires('constructor', 'DoesNotExist'), true],
  ['an operator that does not exist', requires('region', 'Gt', '1'), false],
  ['both parts', { matchLabels: { region: 'eu' }, ...requires('tier', 'Exists') }, true],
  ['one part of two', { matchLabels: { region: 'eu' }, ...requires('zone', 'Exists') }, false],
]
for (const [what, selector, expected] of cases)
  test(`${what} ${expected ? 'selects' : 'does not select'}`, () => assert.equal(selects(selector, labels), expected))
