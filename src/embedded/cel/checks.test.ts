import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Attributes } from '../authorization/attributes.ts'
import { CelAuthorizer } from './authorizer.ts'
import { compileCondition } from './cel.ts'
import { Checks, OutOfBudget, Undecided } from './checks.ts'

const jane = { name: 'jane', groups: [] }

/** Allows paths that begin with `/a`. */
function start(authorize?: () => Promise<never>) {
  const asked: string[] = []
  const checks = new Checks({
    async authorize(attributes: Attributes) {
      asked.push(`${attributes.user.name} ${attributes.path}`)
      if (authorize) return await authorize()
      return { verdict: attributes.path?.startsWith('/a') ? 'allow' : 'no opinion', reason: '' }
    },
  })
  const authorizer = new CelAuthorizer(jane, checks.decide)
  const evaluate = (expression: string, object: unknown = {}) => {
    const program = compileCondition(expression, { object: 'dyn', authorizer: 'authorizer' })
    return checks.evaluate(() => program({ object, authorizer }))
  }
  return { asked, evaluate }
}

const may = (path: string) => `authorizer.path('${path}').check('get').allowed()`
const cancelled = { message: 'operation cancelled: actual cost limit exceeded' }

describe('checks', () => {
  test('are waited for, and asked once', async () => {
    const { asked, evaluate } = start()
    assert.equal(await evaluate(may('/a')), true)
    assert.equal(await evaluate(may('/b')), false)
    assert.equal(await evaluate(`${may('/a')} && ${may('/a')}`), true)
    assert.deepEqual(asked, ['jane /a', 'jane /b'])
  })

  test('are asked only where they decide', async () => {
    const { asked, evaluate } = start()
    assert.equal(await evaluate(`${may('/b1')} && ${may('/a')}`), false)
    assert.equal(await evaluate(`${may('/a1')} || ${may('/a')}`), true)
    assert.equal(await evaluate(`true || ${may('/a')}`), true)
    assert.equal(await evaluate(`${may('/b2')} ? ${may('/a')} : ${may('/a3')}`), true)
    assert.deepEqual(asked, ['jane /b1', 'jane /a1', 'jane /b2', 'jane /a3'])
  })

  test('tell users apart', async () => {
    const { asked, evaluate } = start()
    await evaluate(`${may('/a')} && ${may('/a').replace('authorizer', "authorizer.serviceAccount('x', 'y')")}`)
    assert.deepEqual(asked, ['jane /a', 'system:serviceaccount:x:y /a'])
  })

  test('do not hide other failures, nor do these hide that a decision is missing', async () => {
    const { evaluate } = start()
    await assert.rejects(evaluate(`${may('/a')} && object.nope == 1`), { message: 'no such key: nope' })
    assert.equal(await evaluate(`${may('/a1')} || object.nope == 1`), true)
    assert.equal(await evaluate(`object.nope == 1 || ${may('/a2')}`), true)
    assert.equal(await evaluate(`${may('/b')} && object.nope == 1`), false)
  })

  test('are two at most for an expression, even where it would not mind', async () => {
    const { asked, evaluate } = start()
    await assert.rejects(evaluate(`${may('/a')} && ${may('/a')} && ${may('/a')} || true`), cancelled)
    const many = { list: Array.from({ length: 50 }, (_, at) => `/a${at}`) }
    await assert.rejects(evaluate("object.list.all(p, authorizer.path(p).check('get').allowed())", many), cancelled)
    assert.deepEqual(asked, ['jane /a', 'jane /a0', 'jane /a1'])
  })

  test('are seven at most for all expressions, those refused included', async () => {
    const { evaluate } = start()
    await assert.rejects(evaluate(`${may('/a')} && ${may('/a')} && ${may('/a')}`), cancelled)
    for (let time = 0; time < 4; time++) await evaluate(may('/a'))
    await assert.rejects(evaluate(may('/a')), OutOfBudget)
  })

  test('are none where the authorizer fails', async () => {
    const { evaluate } = start(() => Promise.reject(new Error('out of order')))
    await assert.rejects(evaluate(`${may('/a')} || true`), (error: unknown) => {
      assert.ok(error instanceof Undecided)
      assert.deepEqual(error.cause, new Error('out of order'))
      return true
    })
  })
})
