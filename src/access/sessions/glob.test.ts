import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fits, fitsAny } from './glob.ts'

const fitting: [pattern: string, name: string, fits: boolean][] = [
  ['prod', 'prod', true],
  ['prod', 'prod-1', false],
  ['prod', 'xprod', false],
  ['*', '', true],
  ['*', 'anything', true],
  ['prod-*', 'prod-', true],
  ['prod-*', 'prod', false],
  ['*-eu-*', 'prod-eu-1', true],
  ['a*a', 'a', false],
  ['a*a', 'aa', true],
  ['a*b*c', 'aXbYc', true],
  ['a*b*c', 'acb', false],
  ['**', 'x', true],
  ['a.c', 'abc', false],
  ['[ab]', 'a', false],
  ['?', 'a', false],
  ['', '', true],
  ['', 'a', false],
]
for (const [pattern, name, expected] of fitting)
  test(`'${pattern}' ${expected ? 'fits' : 'does not fit'} '${name}'`, () =>
    assert.equal(fits(pattern, name), expected))

test('it agrees with the obvious regular expression', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '*', '.'), maxLength: 8 })
  const name = fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 10 })
  fc.assert(
    fc.property(text, name, (pattern, given) => {
      const model = new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*')}$`)
      assert.equal(fits(pattern, given), model.test(given))
    }),
  )
})

test('no pattern takes long, whatever it is made of', () => {
  assert.equal(fits(`${'*a'.repeat(5_000)}b`, 'a'.repeat(20_000)), false)
})

test('one of several is enough, and none fits nothing', () => {
  assert.equal(fitsAny(['a', 'b*'], 'bc'), true)
  assert.equal(fitsAny([], 'bc'), false)
})
