import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { silentLog } from '../../core/log.ts'
import { failures } from '../../kube/failures.ts'
import { closing } from '../status.ts'
import type { ReviewSpec } from './review-spec.ts'
import { pathQuestion, resourceQuestion } from './testing/questions.ts'
import type { WebhookSettings } from './webhook-authorizer.ts'
import { WebhookAuthorizer } from './webhook-authorizer.ts'
import type { ReviewStatus } from './webhook-client.ts'
import { ReviewFailure } from './webhook-client.ts'

const settings: WebhookSettings = {
  name: 'hook',
  kubeConfigFile: '/hook',
  timeoutMs: 3_000,
  timeout: '3s',
  failurePolicy: 'NoOpinion',
  authorizedTtlMs: 60_000,
  unauthorizedTtlMs: 10_000,
  cacheAuthorized: true,
  cacheUnauthorized: true,
  matchConditions: [],
}

type Answer = (spec: ReviewSpec) => ReviewStatus | Promise<ReviewStatus>

function hook(answer: Answer, more: Partial<WebhookSettings> = {}, elapsed?: () => number) {
  const asked: ReviewSpec[] = []
  const clock = new FakeClock()
  const client = {
    close: async () => undefined,
    review: async (spec: ReviewSpec) => {
      asked.push(spec)
      return await answer(spec)
    },
  }
  const authorizer = new WebhookAuthorizer({ ...settings, ...more }, { clock, log: silentLog, client, elapsed })
  return { asked, clock, ask: authorizer.authorize.bind(authorizer) }
}

const getPods = resourceQuestion('jane', 'get pods')

describe('a webhook authorizer', () => {
  test('says what the webhook says', async () => {
    const says = async (status: ReviewStatus) => await hook(() => status).ask(getPods)
    assert.deepEqual(await says({ allowed: true, reason: 'fine' }), { verdict: 'allow', reason: 'fine' })
    assert.deepEqual(await says({ denied: true, reason: 'never' }), { verdict: 'deny', reason: 'never' })
    assert.deepEqual(await says({ allowed: false }), { verdict: 'no opinion', reason: '' })
    assert.deepEqual(await says({ allowed: true, denied: true }), {
      verdict: 'deny',
      reason: '',
      error: 'webhook subject access review returned both allow and deny response',
    })
  })

  test('remembers a yes and a no for as long as each is good', async () => {
    const { asked, clock, ask } = hook(({ user }) => ({ allowed: user === 'jane' }))
    const joes = resourceQuestion('joe', 'get pods')
    const askBoth = async () => [(await ask(getPods)).verdict, (await ask(joes)).verdict]
    assert.deepEqual(await askBoth(), ['allow', 'no opinion'])
    await clock.advance('9s')
    await askBoth()
    assert.equal(asked.length, 2)
    await clock.advance('1s')
    await askBoth()
    assert.equal(asked.length, 3)
    await clock.advance('50s')
    await askBoth()
    assert.equal(asked.length, 5)
  })

  test('takes each detail of a question for another question', async () => {
    const { asked, ask } = hook(() => ({ allowed: true }))
    await ask(getPods)
    await ask({ ...getPods, user: { name: 'jane', groups: ['dev'] } })
    await ask({ ...getPods, user: { name: 'jane', groups: [], extra: { scopes: ['a'] } } })
    await ask({ ...getPods, labelSelector: 'a=b' })
    await ask(pathQuestion('jane', 'get', '/pods'))
    assert.equal(asked.length, 5)
  })

  test('does not remember where it is told not to, nor questions of any length', async () => {
    const uncached = hook(() => ({ allowed: true }), { cacheAuthorized: false })
    await uncached.ask(getPods)
    await uncached.ask(getPods)
    assert.equal(uncached.asked.length, 2)
    const long = hook(() => ({ allowed: true }))
    const question = pathQuestion('jane', 'get', `/${'x'.repeat(10_000)}`)
    await long.ask(question)
    await long.ask(question)
    assert.equal(long.asked.length, 2)
  })

  test('that fails has no opinion or denies, and is asked again', async () => {
    const down = () => Promise.reject(new ReviewFailure('hook is down'))
    const open = hook(down)
    assert.deepEqual(await open.ask(getPods), { verdict: 'no opinion', reason: '', error: 'hook is down' })
    await open.ask(getPods)
    assert.equal(open.asked.length, 2)
    const shut = hook(down, { failurePolicy: 'Deny' })
    assert.deepEqual(await shut.ask(getPods), { verdict: 'deny', reason: '', error: 'hook is down' })
  })

  test('is passed over when a condition does not hold, even if another cannot be evaluated', async () => {
    const { asked, ask } = hook(() => ({ allowed: true }), {
      failurePolicy: 'Deny',
      matchConditions: ['request.resourceAttributes.namespace == "blue"', 'request.user != "joe"'],
    })
    assert.equal((await ask({ ...getPods, namespace: 'blue' })).verdict, 'allow')
    assert.deepEqual(await ask({ ...getPods, namespace: 'red' }), { verdict: 'no opinion', reason: '' })
    assert.deepEqual(await ask(pathQuestion('joe', 'get', '/')), { verdict: 'no opinion', reason: '' })
    const error = `cel evaluation error: expression 'request.resourceAttributes.namespace == "blue"' resulted in error: no such key: resourceAttributes`
    assert.deepEqual(await ask(pathQuestion('jane', 'get', '/')), { verdict: 'deny', reason: '', error })
    assert.equal(asked.length, 1)
  })

  test('F4b: that was not asked, or whose answer nobody could read, is no webhook that failed: there is no decision', async () => {
    const closed = hook(() => Promise.reject(closing()))
    await assert.rejects(closed.ask(getPods), { code: 503, reason: 'ServiceUnavailable' })
    const defect = hook(() => Promise.reject(new RangeError('Invalid string length')))
    await assert.rejects(defect.ask(getPods), RangeError)
  })

  test('F4c: whose deadline this process noticed late is not taken for silent', async () => {
    const cause = failures.KUBE_DEADLINE({ method: 'POST', path: '/', deadlineMs: 3_000, server: 'https://hook' })
    const silentFor = async (ms: number) => {
      let now = 0
      const { ask } = hook(
        () => {
          now = ms
          return Promise.reject(new ReviewFailure('context deadline exceeded', cause))
        },
        {},
        () => now,
      )
      return await ask(getPods)
    }
    assert.deepEqual(await silentFor(3_010), {
      verdict: 'no opinion',
      reason: '',
      error: 'context deadline exceeded',
    })
    await assert.rejects(silentFor(4_100), { code: 503, details: { retryAfterSeconds: 1 } })
  })

  test('F4d: whose conditions are not evaluated to their end for want of time is not passed over', async () => {
    const { ask, asked } = hook(() => ({ denied: true }), {
      matchConditions: ['!request.resourceAttributes.name.matches("^(a|b|ab)*(a?a?a?a?a?a?a?a?){20}c$")'],
    })
    await assert.rejects(ask({ ...getPods, name: 'ab'.repeat(400_000) }), { code: 503 })
    assert.equal(asked.length, 0)
  })
})
