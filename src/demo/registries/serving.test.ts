import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { TestScope } from '../../../test/support/test-scope.ts'
import { teardown } from '../../../test/support/test-scope.ts'
import { randomFrom } from '../../core/random.ts'
import type { ServingOptions } from './serving.ts'
import { serveStandIn } from './serving.ts'

async function scene(t: TestScope, options: ServingOptions = {}) {
  let effects = 0
  const standIn = await serveStandIn(
    {
      basePath: '/api',
      answer: () => ({ status: 200, body: { effects: ++effects } }),
      refuse: () => ({ status: 401 }),
      accounts: () => [],
      logsIn: (username, token) => username === 'me' && token === 'a:b',
    },
    options,
  )
  teardown(t, async () => await standIn[Symbol.asyncDispose]())
  const status = (path = '/x') =>
    fetch(`${standIn.url}${path}`).then(
      (response) => response.status,
      () => 'cut',
    )
  return { standIn, status, effects: () => effects }
}

suite('what all stand-ins share', () => {
  test('faults happen to the calls that match, in order, before or after the effect', async (t) => {
    const { standIn, status, effects } = await scene(t)
    standIn.fail(
      { path: '/other', do: 'drop' },
      { do: 'drop' },
      { do: 'apply-then-drop' },
      { path: /x$/, times: 2, do: { applyThenAnswer: 504 } },
      { do: { tooMany: { retryAfter: '2' } } },
      { do: { delayMs: 1 } },
      { method: 'PUT', do: { answer: 418 } },
    )
    assert.deepEqual([await status(), effects()], ['cut', 0])
    assert.deepEqual([await status(), effects()], ['cut', 1])
    assert.deepEqual([await status(), await status(), effects()], [504, 504, 3])
    const limited = await fetch(`${standIn.url}/x`)
    assert.deepEqual([limited.status, limited.headers.get('retry-after'), effects()], [429, '2', 3])
    assert.match(await limited.text(), /<html>/)
    assert.deepEqual([await status(), effects()], [200, 4])
    assert.deepEqual([await status(), effects()], [200, 5])
    assert.deepEqual([await status('/other'), effects()], ['cut', 5])
    standIn.fail({ times: Infinity, do: { answer: 500 } })
    assert.deepEqual([await status(), await status()], [500, 500])
    standIn.heal()
    assert.equal(await status(), 200)
    assert.deepEqual(
      standIn.calls.map((call) => call.status),
      [0, 0, 504, 504, 429, 200, 200, 0, 500, 500, 200],
    )
  })

  test('a call can be left without an answer until the client gives up', async (t) => {
    const { standIn, effects } = await scene(t)
    standIn.fail({ do: 'apply-then-hang' })
    await assert.rejects(fetch(`${standIn.url}/x`, { signal: AbortSignal.timeout(300) }))
    assert.equal(effects(), 1)
  })

  test('a call can be held, and goes on when it is let go', async (t) => {
    const { standIn, status, effects } = await scene(t)
    const held = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    const hold = () => {
      held.resolve()
      return gate.promise
    }
    standIn.fail({ do: { hold } })
    const answer = status()
    await held.promise
    assert.equal(effects(), 0)
    gate.resolve()
    assert.deepEqual([await answer, effects()], [200, 1])
  })

  test('by chance calls fail, half of them after their effect', async (t) => {
    const { standIn, status, effects } = await scene(t, { random: randomFrom(() => 0.4) })
    standIn.chaos = 0.3
    assert.equal(await status(), 200)
    standIn.chaos = 0.5
    assert.deepEqual([await status(), effects()], [500, 1])
  })

  test('its clients log in with basic credentials', async (t) => {
    const { standIn } = await scene(t)
    const login = async (text: string) => {
      const authorization = `Basic ${Buffer.from(text).toString('base64')}`
      return (await fetch(`http://${standIn.host}/v2/auth`, { headers: { authorization } })).status
    }
    assert.deepEqual([await login('me:a:b'), await login('me:a'), await login('me')], [200, 401, 401])
  })
})
