import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Attributes } from '../authorization/attributes.ts'
import { closing } from '../status.ts'
import { evaluateConditions, flawOfCondition } from './match-conditions.ts'

const values = {
  object: { data: { a: '1' }, spec: { replicas: 3 } },
  oldObject: null,
  request: { operation: 'CREATE', userInfo: { username: 'jane', groups: ['dev'] }, dryRun: false, options: {} },
}

const user = { name: 'jane', groups: ['dev'] }
const resource = { group: '', resource: 'configmaps', subresource: '', namespace: 'home', name: 'x' }

/** Allows what begins with an `a`. */
function asking() {
  const asked: Attributes[] = []
  const authorizer = {
    async authorize(attributes: Attributes) {
      asked.push(attributes)
      const verdict = attributes.verb.startsWith('a') ? ('allow' as const) : ('no opinion' as const)
      return { verdict, reason: '' }
    },
  }
  const verdict = (...expressions: string[]) => evaluateConditions(expressions, values, { authorizer, user, resource })
  return { asked, verdict }
}

test('all conditions must be true', async () => {
  const { asked, verdict } = asking()
  assert.deepEqual(await verdict(), { verdict: true })
  assert.deepEqual(await verdict("object.data.a == '1'", 'object.spec.replicas > 2'), { verdict: true })
  assert.deepEqual(await verdict("object.data.a == '1'", 'oldObject != null'), { verdict: false })
  assert.deepEqual(await verdict("request.operation == 'CREATE' && 'dev' in request.userInfo.groups"), {
    verdict: true,
  })
  assert.deepEqual(asked, [])
})

test('errors are told together and once, unless a condition is false', async () => {
  const { verdict } = asking()
  const [broken, worse] = ["object.data.b == '1'", "object.data.c == '1'"]
  const told = (expression: string, key: string) => `expression '${expression}' resulted in error: no such key: ${key}`
  assert.deepEqual(await verdict(broken), { errors: told(broken, 'b') })
  assert.deepEqual(await verdict(broken, broken), { errors: told(broken, 'b') })
  assert.deepEqual(await verdict(broken, worse), { errors: `[${told(broken, 'b')}, ${told(worse, 'c')}]` })
  assert.deepEqual(await verdict(broken, 'false'), { verdict: false })
})

test('what is not served is refused when it is written, and never taken for true', async () => {
  const unserved = '[?optional.of(1)] == [1]'
  assert.match(flawOfCondition(unserved) ?? '', /^compilation failed: ERROR: <input>:1:2: /)
  assert.ok('errors' in (await asking().verdict(unserved)))
})

test('conditions may ask what the user may do, with the request and otherwise', async () => {
  const { asked, verdict } = asking()
  const check = (verb: string) => `authorizer.requestResource.check('${verb}').allowed()`
  assert.equal(flawOfCondition(check('approve')), undefined)
  assert.deepEqual(await verdict(check('approve')), { verdict: true })
  assert.deepEqual(await verdict(check('refuse')), { verdict: false })
  assert.deepEqual(asked, [
    { user, verb: 'approve', version: '*', ...resource },
    { user, verb: 'refuse', version: '*', ...resource },
  ])
})

test('all conditions together may ask seven times, and then whatever they came to does not count', async () => {
  const { verdict } = asking()
  const check = "authorizer.path('/').check('approve').allowed()"
  const times = (count: number) => Array.from({ length: count }, () => check)
  assert.deepEqual(await verdict(...times(7)), { verdict: true })
  const outOfBudget = 'validation failed due to running out of cost budget, no further validation rules will be run'
  assert.deepEqual(await verdict(...times(8), 'false'), { errors: outOfBudget })
  const thrice = times(3).join(' && ')
  const cancelled = `expression '${thrice}' resulted in error: operation cancelled: actual cost limit exceeded`
  assert.deepEqual(await verdict(thrice, thrice), { errors: cancelled })
  assert.deepEqual(await verdict(thrice, thrice, thrice), { errors: outOfBudget })
})

test('an expression must be about the request and come to true or false', () => {
  assert.equal(flawOfCondition("request.namespace == 'a' && has(object.spec)"), undefined)
  assert.equal(flawOfCondition("'a'"), 'must evaluate to bool but got string')
  assert.match(flawOfCondition('has(request.object)') ?? '', /undefined field 'object'/)
  assert.match(flawOfCondition('object.') ?? '', /^compilation failed: ERROR: <input>:1:8: Syntax error/)
})

test('F4e: where the authorizers cannot be asked, nothing is said about a condition', async () => {
  const authorizer = { authorize: () => Promise.reject(closing()) }
  const condition = "authorizer.requestResource.check('approve').allowed()"
  await assert.rejects(evaluateConditions([condition], values, { authorizer, user, resource }), { code: 503 })
})
