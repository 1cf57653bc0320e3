import assert from 'node:assert/strict'
import { test } from 'node:test'
import { differences, judge } from './compare.ts'

const text = (...lines: string[]): string => lines.join('\n')

test('equal texts differ in nothing', () => assert.deepEqual(differences('a\nb', 'a\nb'), []))

for (const [what, real, embedded, expected] of [
  ['a line is missing', text('a', 'b', 'c'), text('a', 'c'), ['- b']],
  ['a line is new', text('a', 'c'), text('a', 'b', 'c'), ['+ b']],
  ['a line is another', text('a', 'b', 'c'), text('a', 'x', 'c'), ['- b', '+ x']],
  ['one of two equal lines is missing', text('a', 'a', 'b'), text('a', 'b'), ['- a']],
  ['lines changed places', text('a', 'b'), text('b', 'a'), ['- a', '+ a']],
  ['all is missing', text('a', 'b'), '', ['- a', '- b', '+ ']],
] as const)
  test(`told: ${what}`, () => assert.deepEqual(differences(real, embedded), expected))

const row = (...lines: string[]) => ({ chapter: 'c', step: 's', why: 'because', lines })

test('what is allowed is neither unexpected nor stale', () => {
  assert.deepEqual(judge(['- a', '+ b'], [row('+ b', '- a')]), { unexpected: [], stale: [] })
})

test('a new difference in a step that may differ is unexpected', () => {
  assert.deepEqual(judge(['- a', '+ c'], [row('- a')]), { unexpected: ['+ c'], stale: [] })
})

test('the same difference once more is unexpected', () => {
  assert.deepEqual(judge(['- a', '- a'], [row('- a')]), { unexpected: ['- a'], stale: [] })
})

test('a row that applies no more is stale', () => {
  assert.deepEqual(judge([], [row('- a')]), { unexpected: [], stale: ['- a'] })
})
