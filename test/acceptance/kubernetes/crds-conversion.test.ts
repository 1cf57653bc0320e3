/** Several versions of one kind: by name only, or through a webhook. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import type { WatchEvent } from '../../../src/kube/kube.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import type { Custom, Defined } from '../../support/custom-resources.ts'
import { define, redefine, unlessUnready } from '../../support/custom-resources.ts'
import { eventually } from '../../support/eventually.ts'
import { freshNamespace } from '../../support/fresh-namespace.ts'
import { startHttpsServer } from '../../support/https-server.ts'
import { kubeClient } from '../../support/kube-client.ts'

const object = (properties: Record<string, object>) => ({ type: 'object', properties })
const integer = { type: 'integer' }
const string = { type: 'string' }

interface Review {
  apiVersion: string
  kind: string
  request: { uid: string; desiredAPIVersion: string; objects: Custom[] }
}

/** `spec.n` in v1 is `spec.size.n` in v2. */
function converted(from: Custom, apiVersion: string): Custom {
  const { n, size } = from.spec as { n?: number; size?: { n?: number } }
  const count = n ?? size?.n
  return { ...from, apiVersion, spec: apiVersion.endsWith('v2') ? { size: { n: count } } : { n: count } }
}

type Answer = (review: Review, objects: Custom[]) => object

const success: Answer = ({ request }, convertedObjects) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'ConversionReview',
  response: { uid: request.uid, result: { status: 'Success' }, convertedObjects },
})

/** Widgets in v1 and v2, and the webhook between them. */
async function startConverted(t: TestContext) {
  const admin = kubeClient(t, (await startControlPlane(t)).connection())
  const namespace = await freshNamespace(t, admin)
  const hook = { reviews: [] as Review[], answer: success }
  const server = await startHttpsServer(t, ({ body }) => {
    const review = body as Review
    hook.reviews.push(review)
    const { objects, desiredAPIVersion } = review.request
    return hook.answer(
      review,
      objects.map((one) => converted(one, desiredAPIVersion)),
    )
  })
  const clientConfig = { url: `${server.url}/convert`, caBundle: Buffer.from(server.caPem).toString('base64') }
  const widgets = await define(t, admin, {
    conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } },
    versions: [{ spec: object({ n: integer }) }, { spec: object({ size: object({ n: integer }) }) }],
  })
  const [one, two] = [admin.of(widgets.of('v1'), namespace), admin.of(widgets.of('v2'), namespace)]
  return { admin, namespace, hook, widgets, one, two }
}

const aWidget = (widgets: Defined, version: string, spec: Record<string, unknown>, name = 'a'): Custom => ({
  apiVersion: `${widgets.group}/${version}`,
  kind: 'Widget',
  metadata: { name },
  spec,
})

describe('versions of custom kinds', needsControlPlane, () => {
  test('E14a: without conversion only the version changes, and each version prunes what it does not know', async (t) => {
    const admin = kubeClient(t, (await startControlPlane(t)).connection())
    const namespace = await freshNamespace(t, admin)
    const widgets = await define(t, admin, {
      versions: [
        { spec: object({ a: string, first: { ...string, default: 'one' } }) },
        { spec: object({ a: string, second: { ...string, default: 'two' } }) },
      ],
    })
    const [one, two] = [admin.of(widgets.of('v1'), namespace), admin.of(widgets.of('v2'), namespace)]
    await one.create(aWidget(widgets, 'v1', { a: 'x' }))
    const read = await two.get('a')
    assert.deepEqual([read.apiVersion, read.spec], [`${widgets.group}/v2`, { a: 'x' }])
    const made = await two.create(aWidget(widgets, 'v2', { a: 'y', second: 'lost' }, 'b'))
    assert.deepEqual(made.spec, { a: 'y' })
    assert.deepEqual((await one.get('b')).spec, { a: 'y', first: 'one' })
    const changed = await two.update({ ...read, spec: { a: 'z' } })
    assert.deepEqual([changed.spec, changed.metadata.generation], [{ a: 'z' }, 2])
    assert.deepEqual((await one.get('a')).spec, { a: 'z', first: 'one' })
  })

  test('E14a: a webhook converts what is read in another version than it is stored in', async (t) => {
    const { hook, widgets, one, two } = await startConverted(t)
    await one.create(aWidget(widgets, 'v1', { n: 5 }))
    const read = await two.get('a')
    assert.deepEqual([read.apiVersion, read.spec], [`${widgets.group}/v2`, { size: { n: 5 } }])
    const review = hook.reviews.at(-1)
    assert.deepEqual([review?.apiVersion, review?.kind], ['apiextensions.k8s.io/v1', 'ConversionReview'])
    assert.equal(review?.request.desiredAPIVersion, `${widgets.group}/v2`)
    assert.match(review?.request.uid ?? '', /^[0-9a-f-]{36}$/)
    assert.deepEqual(
      review?.request.objects.map(({ apiVersion, kind, spec }) => ({ apiVersion, kind, spec })),
      [{ apiVersion: `${widgets.group}/v1`, kind: 'Widget', spec: { n: 5 } }],
    )
  })

  test('E14a: a webhook converts what is written in another version than it is stored in', async (t) => {
    const { widgets, one, two } = await startConverted(t)
    const made = await two.create(aWidget(widgets, 'v2', { size: { n: 7 } }))
    assert.deepEqual([made.apiVersion, made.spec], [`${widgets.group}/v2`, { size: { n: 7 } }])
    assert.deepEqual((await one.get('a')).spec, { n: 7 })
    const changed = await two.update({ ...made, spec: { size: { n: 8 } } })
    assert.deepEqual([changed.spec, changed.metadata.generation], [{ size: { n: 8 } }, 2])
    await two.patch('a', { type: 'merge', body: { spec: { size: { n: 9 } } } })
    assert.deepEqual((await one.get('a')).spec, { n: 9 })
    assert.equal(await two.delete('a'), true)
  })

  test('E14a: lists and watches are converted too', async (t) => {
    const { widgets, one, two } = await startConverted(t)
    for (const [name, n] of [
      ['a', 1],
      ['b', 2],
    ] as const)
      await one.create(aWidget(widgets, 'v1', { n }, name))
    const { items, metadata } = await two.list()
    assert.deepEqual(
      items.map(({ apiVersion, spec }) => [apiVersion, spec]),
      [
        [`${widgets.group}/v2`, { size: { n: 1 } }],
        [`${widgets.group}/v2`, { size: { n: 2 } }],
      ],
    )
    const events = two.watch({ resourceVersion: metadata.resourceVersion, timeoutSeconds: 20 })[Symbol.asyncIterator]()
    await one.create(aWidget(widgets, 'v1', { n: 3 }, 'c'))
    const { value } = await events.next()
    const event = value as WatchEvent<Custom>
    assert.ok(event.type === 'ADDED')
    assert.deepEqual([event.object.apiVersion, event.object.spec], [`${widgets.group}/v2`, { size: { n: 3 } }])
    await events.return?.()
  })

  test('E14a: a webhook that fails, or answers with another object, fails the request and says why', async (t) => {
    const { hook, widgets, one, two } = await startConverted(t)
    const { metadata } = await one.create(aWidget(widgets, 'v1', { n: 5 }))
    const named = `conversion webhook for ${widgets.group}/v1, Kind=Widget`
    const respond =
      (response: object): Answer =>
      (review, objects) => ({
        ...success(review, objects),
        response: { ...(success(review, objects) as { response: object }).response, ...response },
      })
    const changing =
      (change: (one: Custom) => Custom): Answer =>
      (review, objects) =>
        success(review, objects.map(change))
    const withMetadata = (more: object) => changing((made) => ({ ...made, metadata: { ...made.metadata, ...more } }))
    const answers: [answer: Answer, message: string | RegExp][] = [
      [respond({ result: { status: 'Failed', message: 'no way' } }), `${named} failed: no way`],
      [
        respond({ result: { status: 'Failed' } }),
        `${named} failed: response.result.status was 'Failed', not 'Success'`,
      ],
      [respond({ result: undefined }), `${named} failed: response.result.status was '', not 'Success'`],
      [
        respond({ uid: 'x' }),
        /^conversion webhook for .*, Kind=Widget failed: expected response.uid="[0-9a-f-]{36}", got "x"$/,
      ],
      [respond({ convertedObjects: [] }), `${named} returned 0 objects, expected 1`],
      [
        (review) => success(review, review.request.objects),
        `${named} returned invalid object at index 0: invalid groupVersion (expected ${widgets.group}/v2, received ${widgets.group}/v1)`,
      ],
      [
        changing((made) => ({ ...made, kind: 'Gadget' })),
        `${named} returned invalid object at index 0: invalid kind (expected Widget, received Gadget)`,
      ],
      [withMetadata({ name: 'z' }), `${named} returned invalid object: must have the same name: a != z`],
      [withMetadata({ uid: 'z' }), `${named} returned invalid object: must have the same UID: ${metadata.uid} != z`],
      [
        withMetadata({ namespace: 'z' }),
        `${named} returned invalid object: must have the same namespace: ${metadata.namespace} != z`,
      ],
      [
        withMetadata({ labels: { 'a b': 'x' } }),
        /returned invalid metadata: metadata\.labels: Invalid value: "a b": name part/,
      ],
      [
        () => ({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview' }),
        `${named} failed: no response provided`,
      ],
    ]
    for (const [answer, message] of answers) {
      hook.answer = answer
      await assert.rejects(two.get('a', { deadlineMs: 5_000 }), { code: 500, message }, `${message}`)
    }
    hook.answer = respond({ result: { status: 'Failed', message: 'no way' } })
    await assert.rejects(two.create(aWidget(widgets, 'v2', { size: { n: 1 } }, 'b')), {
      code: 500,
      message: `conversion webhook for ${widgets.group}/v2, Kind=Widget failed: no way`,
    })
    assert.deepEqual((await one.get('a')).spec, { n: 5 })
    hook.answer = success
  })

  test('E14a: a webhook may change labels and annotations, and its word on other metadata is not taken', async (t) => {
    const { hook, widgets, one, two } = await startConverted(t)
    const made = await one.create(aWidget(widgets, 'v1', { n: 5 }))
    hook.answer = (review, objects) =>
      success(
        review,
        objects.map((object) => ({
          ...object,
          metadata: {
            ...object.metadata,
            labels: { l: 'x' },
            annotations: { n: 'y' },
            generation: 99,
            finalizers: ['q.example/r'],
          },
        })),
      )
    const { metadata } = await two.get('a')
    assert.deepEqual([metadata.labels, metadata.annotations], [{ l: 'x' }, { n: 'y' }])
    assert.deepEqual(
      [metadata.generation, metadata.finalizers, metadata.resourceVersion],
      [1, undefined, made.metadata.resourceVersion],
    )
    hook.answer = success
  })

  test('E14a: a webhook that cannot be found or reached fails the request', async (t) => {
    const { admin, widgets, one, two } = await startConverted(t)
    await one.create(aWidget(widgets, 'v1', { n: 5 }))
    const pointAt = (clientConfig: object) =>
      redefine(admin, widgets.name, (spec) => {
        spec.conversion = { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } }
      })
    const failing = (message: RegExp) =>
      eventually(`${message}`, async () => {
        await assert.rejects(unlessUnready(two.get('a')), { code: 500, message })
        return true
      })
    await pointAt({ url: 'https://127.0.0.1:1/convert' })
    await failing(
      /failed: Post "https:\/\/127\.0\.0\.1:1\/convert\?timeout=30s": dial tcp 127\.0\.0\.1:1: connect: connection refused$/,
    )
    await pointAt({ service: { name: 'nobody', namespace: 'default', path: '/convert' } })
    await failing(
      /failed: Post "https:\/\/nobody\.default\.svc:443\/convert\?timeout=30s": service "nobody" not found$/,
    )
    await redefine(admin, widgets.name, (spec) => {
      spec.conversion = { strategy: 'None' }
    })
  })
})
