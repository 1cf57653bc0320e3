import assert from 'node:assert/strict'
import { test } from 'node:test'
import { evaluateConditions, flawOfCondition } from './match-conditions.ts'

const values = {
  object: { data: { a: '1' }, spec: { replicas: 3 } },
  oldObject: null,
  request: { operation: 'CREATE', userInfo: { username: 'jane', groups: ['dev'] }, dryRun: false, options: {} },
}

test('all conditions must be true', () => {
  const verdict = (...expressions: string[]) => evaluateConditions(expressions, values)
  assert.deepEqual(verdict(), { verdict: true })
  assert.deepEqual(verdict("object.data.a == '1'", 'object.spec.replicas > 2'), { verdict: true })
  assert.deepEqual(verdict("object.data.a == '1'", 'oldObject != null'), { verdict: false })
  assert.deepEqual(verdict("request.operation == 'CREATE' && 'dev' in request.userInfo.groups"), { verdict: true })
})

test('errors are told together, unless a condition is false', () => {
  const [broken, worse] = ["object.data.b == '1'", "object.data.c == '1'"]
  const told = (expression: string, key: string) => `expression '${expression}' resulted in error: no such key: ${key}`
  assert.deepEqual(evaluateConditions([broken], values), { errors: told(broken, 'b') })
  assert.deepEqual(evaluateConditions([broken, worse], values), {
    errors: `[${told(broken, 'b')}, ${told(worse, 'c')}]`,
  })
  assert.deepEqual(evaluateConditions([broken, 'false'], values), { verdict: false })
})

test('what is not served is refused when it is written, and never taken for true', () => {
  const authorizer = "authorizer.group('').resource('pods').check('get').allowed()"
  assert.match(flawOfCondition(authorizer) ?? '', /^compilation failed: .*undeclared reference to 'authorizer'/)
  assert.ok('errors' in evaluateConditions([authorizer], values))
})

test('an expression must be about the request and come to true or false', () => {
  assert.equal(flawOfCondition("request.namespace == 'a' && has(object.spec)"), undefined)
  assert.equal(flawOfCondition("'a'"), 'must evaluate to bool but got string')
  assert.match(flawOfCondition('has(request.object)') ?? '', /undefined field 'object'/)
  assert.match(flawOfCondition('object.') ?? '', /^compilation failed: ERROR: <input>:1:8: Syntax error/)
})
