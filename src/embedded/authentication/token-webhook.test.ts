import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { stringify } from 'yaml'
import { startHttpsServer } from '../../../test/support/https-server.ts'
import { tempDir } from '../../../test/support/temp-dir.ts'
import type { Clock } from '../../core/clock.ts'
import { systemClock } from '../../core/clock.ts'
import { createLog } from '../../core/log.ts'
import { systemRandom } from '../../core/random.ts'
import { BearerToken } from './bearer-token.ts'
import { openTokenWebhook } from './token-webhook.ts'

const kind = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview' }

async function scene(t: TestContext, answers: Record<string, unknown>) {
  const asked: { token: string; audiences: string[] }[] = []
  const hook = await startHttpsServer(t, ({ body }) => {
    const { spec } = body as { spec: { token: string; audiences: string[] } }
    asked.push(spec)
    const answer = answers[spec.token]
    return answer && (typeof answer === 'object' && 'kind' in answer ? answer : { ...kind, status: answer })
  })
  const file = join(tempDir(t), 'hook.kubeconfig')
  const authority = Buffer.from(hook.caPem).toString('base64')
  writeFileSync(
    file,
    stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'hook', cluster: { server: hook.url, 'certificate-authority-data': authority } }],
      users: [{ name: 'hook', user: {} }],
      contexts: [{ name: 'hook', context: { cluster: 'hook', user: 'hook' } }],
      'current-context': 'hook',
    }),
  )
  let now = Date.parse('2026-01-01T00:00:00Z')
  const clock: Clock = { ...systemClock, now: () => new Date(now) }
  const lines: string[] = []
  const log = createLog({ clock, destination: { write: (line) => lines.push(line) } })
  const webhook = await openTokenWebhook(file, undefined, { clock, random: systemRandom, log, audiences: ['api'] })
  t.after(() => webhook.close())
  return {
    asked,
    lines,
    judge: (token: string, audiences = ['api']) => webhook.authenticate(new BearerToken(token), audiences),
    pass: (ms: number) => {
      now += ms
    },
  }
}

const jane = { authenticated: true, user: { username: 'jane', uid: 'u-1', groups: ['dev'], extra: { a: ['b'] } } }

test('a good token is remembered for two minutes', async (t) => {
  const { asked, judge, pass } = await scene(t, { good: jane })
  const user = { name: 'jane', uid: 'u-1', groups: ['dev'], extra: { a: ['b'] } }
  assert.deepEqual(await judge('good'), { user, audiences: ['api'] })
  pass(119_999)
  await judge('good')
  assert.deepEqual(asked, [{ token: 'good', audiences: ['api'] }])
  pass(1)
  await judge('good')
  assert.equal(asked.length, 2)
})

test('questions for one token at one time are one question', async (t) => {
  const { asked, judge } = await scene(t, { good: jane })
  const verdicts = await Promise.all(Array.from({ length: 10 }, () => judge('good')))
  assert.equal(new Set(verdicts.map((verdict) => JSON.stringify(verdict))).size, 1)
  assert.equal(asked.length, 1)
})

test('a plain no is remembered, one with a reason is not', async (t) => {
  const { asked, judge } = await scene(t, { plain: { authenticated: false }, reasoned: { error: 'revoked' } })
  for (let round = 0; round < 2; round++) {
    assert.equal(await judge('plain'), undefined)
    assert.deepEqual(await judge('reasoned'), { error: 'revoked' })
  }
  assert.deepEqual(
    asked.map(({ token }) => token),
    ['plain', 'reasoned', 'reasoned'],
  )
})

test('a token counts for the audiences that the webhook names, else for this API', async (t) => {
  const { judge } = await scene(t, { good: jane, abroad: { ...jane, audiences: ['vault'] } })
  assert.equal(await judge('abroad'), undefined)
  const there = await judge('abroad', ['vault', 'api'])
  assert.deepEqual(there && 'user' in there && there.audiences, ['vault'])
  assert.equal(await judge('good', ['vault']), undefined)
})

test('a webhook that does not answer, or not so, lets nobody in and is complained about once', async (t) => {
  const { lines, judge } = await scene(t, { odd: { apiVersion: 'v1', kind: 'Pod' }, good: jane })
  for (const token of ['secret-token-1', 'secret-token-2', 'odd']) assert.ok('error' in ((await judge(token)) ?? {}))
  assert.equal(lines.length, 1)
  assert.ok(!lines.join().includes('secret-token'))
  await judge('good')
  await judge('odd')
  assert.equal(lines.length, 2)
})

test('a kubeconfig that cannot be used is a failure at the start', async (t) => {
  const deps = { clock: systemClock, random: systemRandom, log: createLog({ level: 'silent' }), audiences: ['api'] }
  await assert.rejects(openTokenWebhook(join(tempDir(t), 'none'), undefined, deps), {
    code: 'AUTHENTICATION_WEBHOOK_UNREACHABLE',
  })
})
