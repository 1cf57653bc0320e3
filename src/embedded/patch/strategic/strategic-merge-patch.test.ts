import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { processorMs } from '../../../../test/support/processor-time.ts'
import { schemaOf } from '../../kinds/facts/facts.ts'
import { ApiFailure } from '../../status.ts'
import type { Json } from './directives.ts'
import { applyStrategicMergePatch } from './strategic-merge-patch.ts'

const podSchema = schemaOf('v1', 'Pod')

const aPod = (): Json => ({
  metadata: { name: 'pod', labels: { a: '1', b: '2' }, finalizers: ['x/a', 'x/b'] },
  spec: {
    containers: [
      { name: 'first', args: ['a', 'b'], env: [{ name: 'ONE', value: '1' }], ports: [{ containerPort: 80 }] },
      { name: 'second' },
      { name: 'third' },
    ],
    volumes: [{ name: 'scratch', emptyDir: {} }],
    tolerations: [{ key: 'a' }, { key: 'b' }],
  },
})

const patched = (patch: Json) => applyStrategicMergePatch(aPod(), patch, podSchema) as { metadata: Json; spec: Json }

const specOf = (spec: Json): Json => patched({ spec }).spec

const containersOf = (spec: Json) => specOf(spec)['containers'] as Json[]

const named = (...names: string[]) => names.map((name) => ({ name }))

const namesOf = (spec: Json) => containersOf(spec).map(({ name }) => name)

function why(patch: Json): string {
  try {
    patched(patch)
  } catch (error) {
    if (error instanceof ApiFailure) return `${error.code} ${error.message}`
    throw error
  }
  return assert.fail('this should have been refused')
}

const whyNot = (spec: Json): string => why({ spec })

describe('without directives', () => {
  test('maps are merged and null deletes', () => {
    const { metadata } = patched({ metadata: { labels: { a: null, c: '3', none: null } } })
    assert.deepEqual(metadata['labels'], { b: '2', c: '3' })
  })

  test('what was not there comes without its nulls, but those in lists', () => {
    const { spec } = patched({ spec: { securityContext: { runAsUser: null, sysctls: [{ name: null }, null] } } })
    assert.deepEqual(spec['securityContext'], { sysctls: [{}, null] })
  })

  test('lists with a merge key are merged by it, deeply', () => {
    const env = [{ name: 'TWO' }, { name: 'ONE', value: 'eins' }]
    const [first, ...others] = containersOf({ containers: [{ name: 'first', env }] })
    assert.deepEqual(first, { ...first, env: [{ name: 'TWO' }, { name: 'ONE', value: 'eins' }], args: ['a', 'b'] })
    assert.deepEqual(others, named('second', 'third'))
  })

  test('lists without one are replaced', () => {
    assert.deepEqual(specOf({ tolerations: [{ key: 'c' }] })['tolerations'], [{ key: 'c' }])
    assert.deepEqual(containersOf({ containers: [{ name: 'first', args: ['c'] }] })[0]?.['args'], ['c'])
  })

  test('lists of values with the strategy to merge are united', () => {
    const { metadata } = patched({ metadata: { finalizers: ['x/c', 'x/c', 'x/a'] } })
    assert.deepEqual(metadata['finalizers'], ['x/c', 'x/a', 'x/b'])
  })

  test('what is of another type is replaced', () => {
    assert.deepEqual(specOf({ containers: 'x', tolerations: { a: 1 } }), {
      ...(aPod()['spec'] as Json),
      containers: 'x',
      tolerations: { a: 1 },
    })
  })

  test('new items come early, and named ones keep the order of the patch', () => {
    assert.deepEqual(namesOf({ containers: named('new', 'second') }), ['new', 'first', 'second', 'third'])
    assert.deepEqual(namesOf({ containers: named('second', 'new') }), ['first', 'second', 'new', 'third'])
    assert.deepEqual(namesOf({ containers: named('third', 'first') }), ['second', 'third', 'first'])
  })
})

describe('with directives', () => {
  test('$patch replaces and deletes maps', () => {
    assert.deepEqual(patched({ metadata: { labels: { $patch: 'replace', c: '3' } } }).metadata['labels'], { c: '3' })
    assert.deepEqual(patched({ metadata: { labels: { $patch: 'delete', c: '3' } } }).metadata['labels'], {})
  })

  test('$patch deletes items and replaces lists', () => {
    assert.deepEqual(namesOf({ containers: [{ $patch: 'delete', name: 'second' }] }), ['first', 'third'])
    assert.deepEqual(namesOf({ containers: [{ $patch: 'replace' }, ...named('new')] }), ['new'])
  })

  test('$patch goes with the map it stands in where nothing was', () => {
    const securityContext = { $patch: 'replace', runAsUser: 1 }
    const env = [{ $patch: 'delete', name: 'A' }, { name: 'B' }]
    const [, second] = containersOf({ containers: [{ name: 'second', securityContext, env }] })
    assert.deepEqual(second, { name: 'second', env: [{ name: 'B' }] })
  })

  test('$deleteFromPrimitiveList takes values out of any list', () => {
    const container = {
      name: 'first',
      '$deleteFromPrimitiveList/args': ['a', 'z'],
      '$deleteFromPrimitiveList/command': [],
    }
    assert.deepEqual(containersOf({ containers: [container] })[0]?.['args'], ['b'])
    assert.deepEqual(patched({ metadata: { '$deleteFromPrimitiveList/finalizers': null } }).metadata, {
      name: 'pod',
      labels: { a: '1', b: '2' },
    })
  })

  test('$setElementOrder orders what it names around what it does not', () => {
    const order = (...names: string[]) => ({ '$setElementOrder/containers': named(...names) })
    assert.deepEqual(namesOf(order('third', 'second', 'first')), ['third', 'second', 'first'])
    assert.deepEqual(namesOf(order('third', 'first')), ['second', 'third', 'first'])
    const added = { ...order('third', 'new', 'first'), containers: named('new') }
    assert.deepEqual(namesOf(added), ['second', 'third', 'new', 'first'])
  })

  test('$setElementOrder finds new items where deleted ones made room', () => {
    const order = { '$setElementOrder/containers': named('new', 'second') }
    const containers = [...named('new'), { $patch: 'delete', name: 'first' }]
    assert.deepEqual(namesOf({ ...order, containers }), ['third', 'new', 'second'])
  })

  test('$setElementOrder that names nothing orders new items as the sort of the real server happens to', () => {
    const containers = named('new', 'second', 'newer')
    const order = ['newer', 'first', 'second', 'third', 'new']
    assert.deepEqual(namesOf({ '$setElementOrder/containers': [], containers }), order)
  })

  test('$setElementOrder of a list that is only in the patch, or nowhere', () => {
    const env = [{ name: 'B' }, { $patch: 'delete', name: 'C' }, { name: 'A' }]
    const container = { name: 'second', '$setElementOrder/env': named('B', 'A'), env, '$setElementOrder/ports': [] }
    assert.deepEqual(containersOf({ containers: [container] })[1], { name: 'second', env: named('B', 'A') })
  })

  test('$retainKeys drops the members that it does not name', () => {
    const volume = { $retainKeys: ['name', 'secret'], name: 'scratch', secret: { secretName: 's' }, emptyDir: null }
    assert.deepEqual(specOf({ volumes: [volume] })['volumes'], [{ name: 'scratch', secret: { secretName: 's' } }])
  })
})

describe('refused', () => {
  test('items without their merge key', () => {
    const message = 'does not contain declared merge key: name'
    assert.equal(whyNot({ containers: [{ image: 'x' }] }), `500 map: map[image:x] ${message}`)
    assert.equal(whyNot({ containers: [{ $patch: 'delete' }] }), `500 map: map[$patch:delete] ${message}`)
    assert.equal(whyNot({ '$setElementOrder/containers': [{ a: 1 }] }), `500 map: map[a:1] ${message}`)
  })

  test('directives of other names', () => {
    assert.equal(whyNot({ $patch: 'x' }), '500 unknown patch type: x in map: map[$patch:x]')
    assert.equal(
      whyNot({ $patch: [true, null, { a: 1.5 }] }),
      '500 unknown patch type: [%!s(bool=true) %!s(<nil>) map[a:%!s(float64=1.5)]] in map: map[$patch:[true <nil> map[a:1.5]]]',
    )
    assert.equal(
      whyNot({ containers: [{ $patch: 'merge', name: 'first' }] }),
      '500 merging lists cannot yet be specified in the patch',
    )
  })

  test('directives of another form', () => {
    assert.equal(whyNot({ $retainKeys: 'x' }), '400 invalid patch format of retainKeys')
    assert.equal(whyNot({ $retainKeys: [], hostname: 'x' }), '400 invalid patch format of retainKeys')
    assert.equal(whyNot({ '$deleteFromPrimitiveListx/a': [] }), '400 invalid patch format of primitive list')
    assert.equal(whyNot({ $setElementOrder: [] }), '400 invalid patch format of setElementOrder list')
    assert.equal(
      whyNot({ '$setElementOrder/containers': null }),
      '500 expected a []interface {}, but received a %!s(<nil>)',
    )
    assert.equal(
      whyNot({ '$setElementOrder/containers': [], containers: 'x' }),
      '500 expected a []interface {}, but received a string',
    )
  })

  test('lists of several types', () => {
    assert.equal(
      why({ metadata: { finalizers: ['x/c', 5] } }),
      '500 list element types are not identical: [[x/a x/b] [x/c 5]]',
    )
    assert.equal(whyNot({ '$setElementOrder/containers': ['first'] }), '500 value for key 0 is not a map')
    assert.equal(
      whyNot({ '$setElementOrder/containers': named('first'), containers: ['x'] }),
      '500 expected a map[string]interface {}, but received a string',
    )
  })

  test('an order that the patch does not keep', () => {
    assert.equal(
      whyNot({ '$setElementOrder/containers': named('first'), containers: named('second') }),
      "500 The order in patch list:\n[map[name:second]]\n doesn't match $setElementOrder list:\n[map[name:first]]\n",
    )
  })

  test('what the kind does not have', () => {
    assert.equal(
      whyNot({ '$setElementOrder/foo': [] }),
      '500 unable to find api field in struct PodSpec for the json field "foo"',
    )
    assert.equal(whyNot({ '$setElementOrder/hostname': [] }), '500 expected slice or array type, but got: struct')
    assert.equal(
      whyNot({ '$deleteFromPrimitiveList/tolerations': [{ key: 'a' }] }),
      '500 cannot merge lists without merge key for struct',
    )
  })

  test('objects below a map, which are no fields', () => {
    const crd = schemaOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition')
    const properties = { a: { type: 'object' } }
    const schema = crd.properties?.['spec']?.properties?.['versions']?.items?.properties?.['schema'] ?? {}
    assert.throws(
      () => applyStrategicMergePatch({ openAPIV3Schema: { properties } }, { openAPIV3Schema: { properties } }, schema),
      {
        message: 'merging an object in json but data type is not struct, instead is: map',
      },
    )
  })

  test('what Go cannot compare', () => {
    const message = '500 runtime error: hash of unhashable type map[string]interface {}'
    assert.equal(whyNot({ containers: [{ name: {} }] }), message)
    assert.equal(whyNot({ $retainKeys: [{}] }), message)
    assert.equal(whyNot({ '$setElementOrder/tolerations': [{ key: 'a' }] }), message)
  })
})

test('fields are found by names that differ in case', () => {
  assert.deepEqual(namesOf({ '$setElementOrder/Containers': named('third') }), ['first', 'second', 'third'])
})

test('thousands of items take no time to speak of', () => {
  const all = Array.from({ length: 30_000 }, (_, i) => ({ name: `e${i}` }))
  const document = { spec: { containers: [{ name: 'a', env: all }] } }
  const env = all.toReversed().map((item) => ({ ...item, value: 'x' }))
  const patch = { spec: { containers: [{ name: 'a', env, '$setElementOrder/env': env }] } }
  assert.ok(processorMs(() => void applyStrategicMergePatch(document, patch, podSchema)) < 3_000)
})
