import assert from 'node:assert/strict'
import { test } from 'node:test'
import { processorMs } from '../../../test/support/processor-time.ts'
import { Warnings } from './warnings.ts'

const listOf = (...texts: string[]): string[] => {
  const warnings = new Warnings()
  for (const text of texts) warnings.add(text)
  return warnings.list()
}

test('each warning is told once, in the order they came', () => {
  assert.deepEqual(listOf('b', 'a', 'b'), ['b', 'a'])
})

test('where they are too many for headers, long ones are shortened, and those that are left are not told', () => {
  assert.deepEqual(
    listOf('x'.repeat(3000), 'y'.repeat(3000), 'z').map(({ length }) => length),
    [256, 256, 1],
  )
  assert.equal(listOf(...Array.from({ length: 100 }, (_, index) => `${index} ${'x'.repeat(500)}`)).length, 16)
})

test('a hundred thousand of them cost no more than a few', () => {
  const warnings = Array.from({ length: 100_000 }, (_, index) => `duplicate field "data.k${index}"`)
  assert.ok(processorMs(() => void listOf(...warnings)) < 2_000)
})
