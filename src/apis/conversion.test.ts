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

test('a review is answered with its uid and every object, in order', () => {
  assert.deepEqual(convertReview(aReview('x.io/v2', [aWidget('a'), aWidget('b')]), [widgets]), {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'ConversionReview',
    response: {
      uid: 'u-1',
      result: { status: 'Success' },
      convertedObjects: ['a', 'b'].map((name) => ({ ...aWidget(name), apiVersion: 'x.io/v2' })),
    },
  })
})

test('one object that cannot be converted fails the review, with the reason', () => {
  const { response } = convertReview(aReview('x.io/v9', [aWidget('a')]), [widgets])
  assert.deepEqual(response, { uid: 'u-1', result: { status: 'Failure', message: 'no v9 here' }, convertedObjects: [] })
})

test('a kind that nobody converts is told, and groups are compared whole', () => {
  for (const apiVersion of ['y.io/v1', 'x.iox/v1', 'x.io']) {
    const { result } = convertReview(aReview('x.io/v2', [{ ...aWidget('a'), apiVersion }]), [widgets]).response
    assert.match(JSON.stringify(result), /"Failure".*Widget has nothing to convert; remove the conversion webhook/)
  }
})

test('whatever is sent is answered', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.anything(),
        fc.anything().map((request) => ({ ...aReview('x.io/v2', []), request })),
        fc.anything().map((object) => aReview('x.io/v2', [object as KubeObject])),
      ),
      (review) => {
        const { result } = convertReview(review, conversions).response
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
