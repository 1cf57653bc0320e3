import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isSameQuantity, sumQuantities } from './quantity.ts'

const sums: [string, (number | string)[], string][] = [
  ['nothing is 0', [], '0'],
  ['cores', ['4', 4], '8'],
  ['thousandths of cores', ['3920m', '80m'], '4'],
  ['thousandths that stay', ['1930m', '1930m'], '3860m'],
  ['memory', ['16374468Ki', '16374468Ki'], '32748936Ki'],
  ['memory that becomes round', ['512Mi', '512Mi'], '1Gi'],
  ['bytes beside memory', ['1Ki', '24'], '1048'],
  ['less than 1Ki', ['512', '0.25Ki'], '768'],
  ['a binary format that less than 1024 cannot have', ['0.5Ki', '1'], '513'],
  ['a binary format that a fraction cannot have', ['1Ki', '500m'], '1024500m'],
  ['thousands', ['500', '500'], '1k'],
  ['pods', ['110', '110', '250'], '470'],
  ['exponents', ['1e3', '2E3'], '3e3'],
  ['E is Exa where no number follows', ['1E', '1E'], '2E'],
  ['the format of the first that is not zero', ['0', '1Gi', '1Gi'], '2Gi'],
  ['zeros', ['0', '0Ki'], '0'],
  ['fractions', ['.5', '1.', '+0.25'], '1750m'],
  ['below zero', ['-1', '500m'], '-500m'],
  ['what is finer than a thousand-millionth, rounded up', ['0.0000000001'], '1n'],
  ['the largest', ['9223372036854775807', '1'], '9223372036854775808'],
  ['what is no quantity is left out', ['many', '', '.', '1e999999999', '2'], '2'],
]
for (const [name, given, sum] of sums) test(`sum of ${name}`, () => assert.equal(sumQuantities(given), sum))

const suffix = fc.constantFrom('', 'm', 'k', 'M', 'G', 'Ki', 'Mi', 'Gi', 'Ti')
const quantity = fc.tuple(fc.bigInt(0n, 2n ** 50n), suffix).map(([number, unit]) => `${number}${unit}`)

test('a sum is the same whatever the order and however it is grouped', () => {
  fc.assert(
    fc.property(fc.array(quantity), fc.array(quantity), (some, others) => {
      const sum = sumQuantities([...some, ...others])
      assert.ok(isSameQuantity(sum, sumQuantities([...others, ...some].reverse())))
      assert.ok(isSameQuantity(sum, sumQuantities([sumQuantities(some), sumQuantities(others)])))
    }),
  )
})

test('the canonical form stays as it is', () => {
  fc.assert(
    fc.property(fc.array(quantity), (some) => {
      const sum = sumQuantities(some)
      // A binary amount that no binary suffix divides is written without one, and read again as a decimal one.
      fc.pre(!/^\d+000$/.test(sum))
      assert.equal(sumQuantities([sum]), sum)
    }),
  )
})

test('plain numbers add up as numbers do', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -1_000_000, max: 1_000_000 })), (numbers) => {
      const total = numbers.reduce((sum, number) => sum + number, 0)
      assert.ok(isSameQuantity(sumQuantities(numbers), total))
    }),
  )
})

test('quantities are compared by what they mean', () => {
  assert.ok(isSameQuantity('1Gi', '1024Mi'))
  assert.ok(isSameQuantity('2000m', 2))
  assert.ok(!isSameQuantity('1G', '1Gi'))
  assert.ok(!isSameQuantity('many', 'more'))
  assert.ok(!isSameQuantity(undefined, '1'))
})
