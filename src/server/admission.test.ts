import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../test/support/eventually.ts'
import { createMetrics } from '../core/metrics.ts'
import type { AdmissionRequest, AdmissionWebhook, Verdict } from '../fleet/admission.ts'
import { allowed, badRequest, forbidden } from '../fleet/admission.ts'
import { timeoutMs } from './admission.ts'
import { askHttp2 } from './testing/ask.ts'
import { servingScene } from './testing/scene.ts'

const webhook = (decide: AdmissionWebhook['decide']): AdmissionWebhook => ({
  name: 'things.validation.lanyard.io',
  type: 'validating',
  path: '/admit',
  rules: [],
  decide,
})

const review = (request: Partial<AdmissionRequest> = {}) => ({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: { uid: 'u-1', operation: 'CREATE', userInfo: { username: 'jane' }, ...request },
})

const responseOf = ({ body }: { body: string }) => JSON.parse(body).response

test('a verdict becomes the response that API servers expect', async (t) => {
  const patch = [{ op: 'add', path: '/metadata/labels', value: { a: 'b' } }] as const
  const verdicts: [Verdict, object][] = [
    [allowed, { uid: 'u-1', allowed: true }],
    [
      { allowed: true, patch, warnings: ['mind the gap'] },
      {
        uid: 'u-1',
        allowed: true,
        patchType: 'JSONPatch',
        patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
        warnings: ['mind the gap'],
      },
    ],
    [
      badRequest('spec.url must be https'),
      {
        uid: 'u-1',
        allowed: false,
        status: { status: 'Failure', code: 400, reason: 'BadRequest', message: 'spec.url must be https' },
      },
    ],
    [
      forbidden('no'),
      { uid: 'u-1', allowed: false, status: { status: 'Failure', code: 403, reason: 'Forbidden', message: 'no' } },
    ],
  ]
  let next: Verdict = allowed
  const { post, url, caPem } = await servingScene(t, { webhooks: [webhook(async () => next)] })
  for (const [verdict, response] of verdicts) {
    next = verdict
    const reply = await post('/admit?timeout=10s', review())
    assert.deepEqual(JSON.parse(reply.body), { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response })
  }
  const headers = { 'content-type': 'application/json' }
  const http2 = await askHttp2(`${url}/admit`, caPem, { method: 'POST', headers, body: JSON.stringify(review()) })
  assert.equal(responseOf(http2).allowed, false)
})

test('what decide throws refuses the request, without internals, and is logged without bodies', async (t) => {
  const { post, lines } = await servingScene(t, {
    webhooks: [
      webhook(async () => {
        throw new Error('inner words')
      }),
    ],
  })
  const object = { metadata: { name: 'canary-body' } }
  const reply = await post('/admit', review({ object, name: 'thing' }))
  const { allowed, status } = responseOf(reply)
  assert.deepEqual([reply.status, allowed, status.code], [200, false, 500])
  assert.match(status.message, /^the hub could not decide/)
  assert.equal(reply.body.includes('inner words'), false)
  assert.equal(
    lines.some((line) => line.includes('inner words') && line.includes('"name":"thing"')),
    true,
  )
  assert.equal(lines.join('').includes('canary-body'), false)
})

test('a decision that takes too long is refused before the API server gives up', async (t) => {
  const signals: AbortSignal[] = []
  const { post, clock } = await servingScene(t, {
    webhooks: [
      webhook((_request, signal) => {
        signals.push(signal)
        return new Promise(() => {})
      }),
    ],
  })
  const asked = post('/admit?timeout=4s', review())
  const [signal] = await eventually('it is asked', () => signals.length > 0 && signals)
  await clock.advance(3_599)
  assert.equal(signal?.aborted, false)
  await clock.advance(1)
  assert.equal(signal?.aborted, true)
  assert.equal(responseOf(await asked).status.code, 500)
})

test('a stopping server refuses what is undecided instead of waiting for it', async (t) => {
  let isAsked = false
  const { post, stop } = await servingScene(t, {
    webhooks: [
      webhook(() => {
        isAsked = true
        return new Promise(() => {})
      }),
    ],
  })
  const asked = post('/admit', review())
  await eventually('it is asked', () => isAsked)
  await stop()
  assert.equal(responseOf(await asked).allowed, false)
})

test('what is no AdmissionReview of v1 is a 400 that names the field', async (t) => {
  const { post } = await servingScene(t, { webhooks: [webhook(async () => allowed)] })
  const cases: [string, unknown][] = [
    ['apiVersion', null],
    ['apiVersion', { ...review(), apiVersion: 'admission.k8s.io/v1beta1' }],
    ['kind', { ...review(), kind: 'ConversionReview' }],
    ['request.uid', { ...review(), request: null }],
    ['request.uid', review({ uid: '' })],
    ['request.operation', { ...review(), request: { uid: 'a' } }],
    ['request.userInfo', { ...review(), request: { uid: 'a', operation: 'CREATE' } }],
  ]
  for (const [field, body] of cases) {
    const reply = await post('/admit', body)
    assert.equal(reply.status, 400)
    assert.ok(JSON.parse(reply.body).detail.startsWith(`${field} `), reply.body)
  }
})

test('reviews are counted by what came of them', async (t) => {
  const metrics = await createMetrics()
  const { post, ask } = await servingScene(t, { metrics, webhooks: [webhook(async () => forbidden('no'))] })
  await post('/admit', review())
  const { body } = await ask('/metrics')
  assert.match(body, /lanyard_admission_reviews_total\{webhook="things.validation.lanyard.io",outcome="denied"\} 1/)
  assert.match(body, /lanyard_admission_reviews_total\{webhook="things.validation.lanyard.io",outcome="allowed"\} 0/)
})

test('a timeout is read as Go writes it, 10 seconds when there is none, at most 30', () => {
  const cases: [string | null, number][] = [
    ['10s', 10_000],
    ['500ms', 500],
    ['1m0s', 30_000],
    ['1.5s', 1_500],
    [null, 10_000],
    ['soon', 10_000],
    ['5s!', 10_000],
  ]
  for (const [given, ms] of cases) assert.equal(timeoutMs(given), ms, String(given))
})
