import assert from 'node:assert/strict'
import { test } from 'node:test'
import { teardown } from './test-scope.ts'

/** A context that is over when it is told so. */
function aScope() {
  const hooks: (() => void | Promise<void>)[] = []
  return {
    after: (hook: () => void | Promise<void>) => void hooks.push(hook),
    async end() {
      for (const hook of hooks) await hook()
    },
  }
}

test('what was set up last is torn down first, one after the other', async () => {
  const t = aScope()
  const done: string[] = []
  teardown(t, () => void done.push('first'))
  teardown(t, async () => {
    await new Promise((resolve) => setImmediate(resolve))
    done.push('second')
  })
  await t.end()
  assert.deepEqual(done, ['second', 'first'])
})

test('a teardown that fails is told and does not keep the others from running', async () => {
  const t = aScope()
  let ran = false
  teardown(t, () => {
    ran = true
  })
  teardown(t, () => {
    throw new Error('cannot')
  })
  await assert.rejects(t.end(), { message: 'cannot' })
  assert.ok(ran)
})

test('each test has its own', async () => {
  const [one, two] = [aScope(), aScope()]
  const done: string[] = []
  teardown(one, () => void done.push('one'))
  teardown(two, () => void done.push('two'))
  await one.end()
  assert.deepEqual(done, ['one'])
})
