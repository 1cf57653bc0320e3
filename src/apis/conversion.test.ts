import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { KubeObject } from '../kube/objects.ts'
import type { Conversion } from './conversion.ts'
import { conversions, convertReview } from './conversion.ts'
import { hubKinds, spokeKinds } from './fleet-kinds.ts'

const widgets: Conversion = {
  group: 'x.io',
  kind: 'Widget',
  convert(object, apiVersion) {
    if (apiVersion === 'x.io/v9') throw new Error('no v9 here')
    return { ...object, apiVersion }
  },
}
const aWidget = (name: string): KubeObject => ({ apiVersion: 'x.io/v1', kind: 'Widget', metadata: { name } })
const aReview = (desiredAPIVersion: string, objects: KubeObject[]) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'ConversionReview',
  request: { uid: 'u-1', desiredAPIVersion, objects },
})

/** Of a review that is too short for it. */
const never = () => assert.fail('it gave way')

test('F12p: a long review gives way every 200 objects, and is answered whole and in order', async () => {
  const done: string[] = []
  const counting = {
    ...widgets,
    convert: (object: KubeObject, apiVersion: string) => {
      done.push(object.metadata?.name ?? '')
      return widgets.convert(object, apiVersion)
    },
  }
  const names = Array.from({ length: 500 }, (_, at) => `w${at}`)
  const doneAtPauses: number[] = []
  const giveWay = async () => void doneAtPauses.push(done.length)
  const { response } = await convertReview(aReview('x.io/v2', names.map(aWidget)), giveWay, [counting])
  assert.deepEqual(doneAtPauses, [200, 400])
  assert.deepEqual(
    response.convertedObjects.map(({ metadata }) => metadata?.name),
    names,
  )
})

test('a review is answered with its uid and every object, in order', async () => {
  assert.deepEqual(await convertReview(aReview('x.io/v2', [aWidget('a'), aWidget('b')]), never, [widgets]), {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'ConversionReview',
    response: {
      uid: 'u-1',
      result: { status: 'Success' },
      convertedObjects: ['a', 'b'].map((name) => ({ ...aWidget(name), apiVersion: 'x.io/v2' })),
    },
  })
})

test('one object that cannot be converted fails the review, with the reason', async () => {
  const { response } = await convertReview(aReview('x.io/v9', [aWidget('a')]), never, [widgets])
  assert.deepEqual(response, { uid: 'u-1', result: { status: 'Failure', message: 'no v9 here' }, convertedObjects: [] })
})

test('a kind that nobody converts is told, and groups are compared whole', async () => {
  for (const apiVersion of ['y.io/v1', 'x.iox/v1', 'x.io']) {
    const review = aReview('x.io/v2', [{ ...aWidget('a'), apiVersion }])
    const { result } = (await convertReview(review, never, [widgets])).response
    assert.match(JSON.stringify(result), /"Failure".*Widget has nothing to convert; remove the conversion webhook/)
  }
})

test('whatever is sent is answered', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.anything(),
        fc.anything().map((request) => ({ ...aReview('x.io/v2', []), request })),
        fc.anything().map((object) => aReview('x.io/v2', [object as KubeObject])),
      ),
      async (review) => {
        const { result } = (await convertReview(review, never)).response
        assert.ok(result.status === 'Success' || result.message !== '')
      },
    ),
  )
})

test('every kind that declares a conversion has one', () => {
  const declared = [...hubKinds, ...spokeKinds].filter(({ declaration }) => declaration.conversion)
  assert.deepEqual(
    declared.map(({ declaration }) => declaration.kind),
    conversions.map(({ kind }) => kind),
  )
})
