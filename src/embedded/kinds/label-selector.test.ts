import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  checkLabelSelector,
  isEmptySelector,
  labelsCell,
  selectorCell,
  selectorText,
  selects,
} from './label-selector.ts'

const expression = (operator: string, ...values: string[]) => ({ matchExpressions: [{ key: 'a', operator, values }] })

test('no selector selects nothing, an empty one everything', () => {
  assert.equal(selects(undefined, {}), false)
  assert.equal(selects({}, { a: 'b' }), true)
  assert.equal(isEmptySelector({ matchLabels: {}, matchExpressions: [] }), true)
})

test('every label and every expression must hold', () => {
  assert.equal(selects({ matchLabels: { a: 'b' }, ...expression('Exists') }, { a: 'b', c: 'd' }), true)
  assert.equal(selects({ matchLabels: { a: 'b', c: 'x' } }, { a: 'b', c: 'd' }), false)
})

test('expressions ask for values or for the key', () => {
  const [with_b, without] = [{ a: 'b' }, {}]
  assert.deepEqual([selects(expression('In', 'b', 'c'), with_b), selects(expression('In', 'c'), with_b)], [true, false])
  assert.deepEqual(
    [selects(expression('NotIn', 'b'), with_b), selects(expression('NotIn', 'b'), without)],
    [false, true],
  )
  assert.deepEqual([selects(expression('Exists'), with_b), selects(expression('Exists'), without)], [true, false])
  assert.deepEqual(
    [selects(expression('DoesNotExist'), with_b), selects(expression('DoesNotExist'), without)],
    [false, true],
  )
})

test('a selector is told in order', () => {
  const selector = {
    matchLabels: { z: '1', b: '2' },
    matchExpressions: [
      { key: 'm', operator: 'NotIn', values: ['y', 'x'] },
      { key: 'c', operator: 'DoesNotExist' },
      { key: 'd', operator: 'Exists' },
    ],
  }
  assert.equal(selectorText(selector), 'b=2,!c,d,m notin (x,y),z=1')
  assert.deepEqual([selectorCell(undefined), labelsCell({ b: '1', a: '2' })], ['<none>', 'a=2,b=1'])
})

test('what an expression says must go together', () => {
  const fields = (selector: object) => checkLabelSelector(selector, 's').map(({ field }) => field)
  assert.deepEqual(fields(expression('In')), ['s.matchExpressions[0].values'])
  assert.deepEqual(fields(expression('Exists', 'b')), ['s.matchExpressions[0].values'])
  assert.deepEqual(fields(expression('Odd')), ['s.matchExpressions[0].operator'])
  assert.deepEqual(fields(expression('In', 'b c')), ['s.matchExpressions[0].values[0]'])
  assert.deepEqual(fields({ matchLabels: { '?': 'b' } }), ['s.matchLabels'])
})
