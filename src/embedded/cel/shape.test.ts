import assert from 'node:assert/strict'
import test from 'node:test'
import { compile } from './cel.ts'

const chain = (count: number, operator: string, operand = 'true') => Array(count).fill(operand).join(` ${operator} `)

test('a chain of conditions may be as long as an expression, and comes to what it did', () => {
  assert.equal(compile(chain(5000, '&&'), [])({}), true)
  assert.equal(compile(`${chain(5000, '||', 'false')} || x`, ['x'])({ x: true }), true)
  assert.equal(compile('x && false || true && !x || false', ['x'])({ x: true }), false)
})

test('what is deep otherwise is refused', () => {
  assert.equal(compile(`${chain(250, '+', '1')} == 250`, [])({}), true)
  assert.throws(() => compile(`${chain(251, '+', '1')} == 251`, []), {
    message: 'compilation failed: ERROR: <input>:-1:0: max recursion depth exceeded',
  })
})
