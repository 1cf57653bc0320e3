import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WriteContext } from '../kinds/kind.ts'
import { selfSubjectReviewAnswer, tokenReviewAnswer } from './reviews.ts'
import type { User } from './user.ts'
import type { Verdict } from './verdict.ts'

const user: User = { name: 'jane', uid: 'u-1', groups: ['dev'], extra: { b: ['2'], a: ['1'] } }
const context: WriteContext = { user, now: new Date('2026-01-01T00:00:00.5Z'), dryRun: false, namespace: '' }
const review = (spec: object) => ({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', metadata: {}, spec })

const answering = (verdict: Verdict) => tokenReviewAnswer({ review: async () => verdict })

test('a TokenReview tells the user, or what is wrong', async () => {
  const good = await answering({ user, audiences: ['api'] })(review({ token: 'x' }), context)
  assert.equal(
    JSON.stringify(good['status']),
    '{"authenticated":true,"user":{"username":"jane","uid":"u-1","groups":["dev"],"extra":{"a":["1"],"b":["2"]}},"audiences":["api"]}',
  )
  const bad = await answering({ error: 'invalid bearer token' })(review({ token: 'x' }), context)
  assert.deepEqual(bad['status'], { user: {}, error: 'invalid bearer token' })
})

test('a TokenReview without a token is a bad request', async () => {
  await assert.rejects(answering({ error: '' })(review({}), context), {
    code: 400,
    message: 'token is required for TokenReview in authentication',
  })
})

test('a SelfSubjectReview tells who asks, and nothing of what was sent', async () => {
  const sent = { ...review({}), kind: 'SelfSubjectReview', metadata: { name: 'x' }, status: { userInfo: {} } }
  assert.deepEqual(await selfSubjectReviewAnswer(sent, { ...context, user: { name: 'joe', groups: [] } }), {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'SelfSubjectReview',
    metadata: { creationTimestamp: '2026-01-01T00:00:00Z' },
    status: { userInfo: { username: 'joe' } },
  })
})
