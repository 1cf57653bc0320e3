import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { startHttpsServer } from '../../../test/support/https-server.ts'
import { systemClock } from '../../core/clock.ts'
import type { ApiObject } from '../objects.ts'
import { converterOf } from './conversion.ts'

interface Review {
  apiVersion: string
  request: { uid: string; desiredAPIVersion: string; objects: ApiObject[] }
}

const anObject = (name: string, version = 'v1'): ApiObject => ({
  apiVersion: `example.com/${version}`,
  kind: 'Widget',
  metadata: { name, uid: name, resourceVersion: '7', labels: { old: 'x' }, generation: 3 },
})

async function startHook(t: TestContext, change: (object: ApiObject) => unknown, reviewVersions = ['v1']) {
  const reviews: Review[] = []
  const { url, caPem } = await startHttpsServer(t, ({ body }) => {
    const review = body as Review
    reviews.push(review)
    const { uid, objects, desiredAPIVersion } = review.request
    const convertedObjects = objects.map((object) => change({ ...object, apiVersion: desiredAPIVersion }))
    return { ...review, response: { uid, result: { status: 'Success' }, convertedObjects } }
  })
  const clientConfig = { url, caBundle: Buffer.from(caPem).toString('base64') }
  const convert = converterOf(
    { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: reviewVersions } },
    { clock: systemClock, resolveService: () => undefined },
  )
  assert.ok(convert)
  return { reviews, convert }
}

test('without a webhook there is nothing to convert with', () => {
  const deps = { clock: systemClock, resolveService: () => undefined }
  assert.equal(converterOf({ strategy: 'None' }, deps), undefined)
  assert.equal(converterOf(undefined, deps), undefined)
})

test('many objects are one question, those in the version already are not asked about, and the order stays', async (t) => {
  const { reviews, convert } = await startHook(t, (object) => object)
  const converted = await convert([anObject('a'), anObject('b', 'v2'), anObject('c')], 'example.com/v2')
  assert.deepEqual(
    converted.map(({ apiVersion, metadata }) => [apiVersion, metadata.name]),
    [
      ['example.com/v2', 'a'],
      ['example.com/v2', 'b'],
      ['example.com/v2', 'c'],
    ],
  )
  assert.deepEqual(
    reviews.map(({ request }) => request.objects.length),
    [2],
  )
})

test('of metadata only labels and annotations are the webhook’s to change', async (t) => {
  const { convert } = await startHook(t, (object) => ({
    ...object,
    metadata: { ...object.metadata, labels: { new: 'y' }, generation: 99, resourceVersion: '1', finalizers: ['z'] },
  }))
  const [converted] = await convert([anObject('a')], 'example.com/v2')
  assert.deepEqual(converted?.metadata, { ...anObject('a').metadata, labels: { new: 'y' } })
})

test('the webhook is asked in the first version of the review that both know', async (t) => {
  const { reviews, convert } = await startHook(t, (object) => object, ['v9', 'v1beta1', 'v1'])
  await convert([anObject('a')], 'example.com/v2')
  assert.equal(reviews[0]?.apiVersion, 'apiextensions.k8s.io/v1beta1')
})

test('what is no object, or another one, is refused', async (t) => {
  const { convert } = await startHook(t, (object) =>
    object.metadata.name === 'odd' ? 'odd' : { ...object, metadata: {} },
  )
  const named = 'conversion webhook for example.com/v1, Kind=Widget returned invalid object'
  await assert.rejects(convert([anObject('odd')], 'example.com/v2'), {
    code: 500,
    reason: '',
    message: `${named} at index 0: it is no object`,
  })
  await assert.rejects(convert([anObject('a')], 'example.com/v2'), {
    message: `${named}: must have the same name: a != `,
  })
})
