import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linearPattern } from './linear-pattern.ts'

const found = (pattern: string, text: string, from = 0) => {
  const match = linearPattern(pattern).find(text, from)
  return match && text.slice(match.start, match.end)
}

test('the match that begins first is found, and of several there the one that Go prefers', () => {
  assert.deepEqual(
    [
      found('[0-9]+', 'a12b3'),
      found('a|ab', 'xab'),
      found('ab|a', 'xab'),
      found('a+?', 'aaa'),
      found('a{1,2}?b?', 'aab'),
      found('(a*)*', 'aab'),
      found('x', 'abc'),
      found('\\bb', 'ab b'),
      found('a', 'aXa', 1),
      found('^a', 'aa', 1),
      found('.', '😀é'),
      found('', 'abc'),
    ],
    ['12', 'a', 'ab', 'a', 'a', 'aa', undefined, 'b', 'a', undefined, '😀', ''],
  )
})

test('a long text takes little time', () => {
  assert.equal(found('(a+)+$', `${'a'.repeat(5_000)}!`), undefined)
})
