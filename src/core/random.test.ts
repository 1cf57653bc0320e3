import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { randomFrom, systemRandom } from './random.ts'

test('a fraction is in [0, 1) and not always the same', () => {
  const drawn = Array.from({ length: 1_000 }, () => systemRandom.fraction())
  assert.ok(drawn.every((fraction) => fraction >= 0 && fraction < 1))
  assert.ok(new Set(drawn).size > 990)
})

test('a suffix has the length asked for and can be part of a Kubernetes name', () => {
  fc.assert(
    fc.property(fc.nat({ max: 40 }), (length) => {
      assert.match(systemRandom.suffix(length), new RegExp(`^[a-z2-9]{${length}}$`))
    }),
  )
})

test('a suffix spells no word and has no look-alikes', () => {
  assert.doesNotMatch(systemRandom.suffix(2_000), /[aeiouy013]/)
})

test('the same fractions give the same suffix, whatever they are', () => {
  assert.equal(randomFrom(() => 0).suffix(3), 'bbb')
  assert.equal(randomFrom(() => 1 - Number.EPSILON / 2).suffix(3), '999')
})
