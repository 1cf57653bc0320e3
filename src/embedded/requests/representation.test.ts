import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aKind, served } from '../admission/testing/scene.ts'
import type { Kind } from '../kinds/kind.ts'
import type { ApiObject } from '../objects.ts'
import type { Entry } from '../storage/store.ts'
import { inOrder, objectOf, textOf, textsOf, toStored } from './representation.ts'

const anEntry = (name: string, more: object = {}): Entry => ({
  ...{ storage: 'widgets.example.com', namespace: 'home', name, revision: 1, writtenAt: 0 },
  text: JSON.stringify({ kind: 'Widget', apiVersion: 'example.com/v1', metadata: { name }, ...more }),
})

/** Two versions; how often, and of what, a conversion was asked for. */
function widgets(more: Partial<Kind> = {}) {
  const asked: string[] = []
  const kind = aKind('example.com', 'Widget', 'widgets', {
    versionNames: ['v1', 'v2'],
    async convert(objects, apiVersion) {
      asked.push(`${apiVersion}: ${objects.map(({ metadata }) => metadata.name).join(' ')}`)
      return objects.map((object) => ({ ...object, apiVersion, converted: true }))
    },
    ...more,
  })
  return { asked, kind, one: served(kind, 'v1'), two: served(kind, 'v2') }
}

test('what is stored as it is shown is shown as it is stored', () => {
  const { one, asked } = widgets()
  const entry = anEntry('a')
  assert.equal(textOf(entry, one), entry.text)
  assert.deepEqual(asked, [])
})

test('another version is converted once for each entry and way of serving it', async () => {
  const { kind, two, asked } = widgets()
  const entry = anEntry('a')
  const text = await textOf(entry, two)
  assert.equal(text, '{"kind":"Widget","apiVersion":"example.com/v2","metadata":{"name":"a"},"converted":true}')
  assert.equal(await textOf(entry, two), text)
  assert.equal(asked.length, 1)
  await textOf(entry, served(kind, 'v2'))
  assert.equal(asked.length, 2, 'a definition that has changed is a new way of serving')
  await textOf(anEntry('a'), two)
  assert.equal(asked.length, 3)
})

test('a list is converted in one go, but for what is known or needs no conversion', async () => {
  const { two, asked } = widgets()
  const entries = ['a', 'b', 'c'].map((name) => anEntry(name))
  await textOf(entries[1] as Entry, two)
  const stored = { ...anEntry('d'), text: '{"kind":"Widget","apiVersion":"example.com/v2","metadata":{"name":"d"}}' }
  const texts = await textsOf([...entries, stored], two)
  assert.deepEqual(
    texts.map((text) => JSON.parse(text).metadata.name),
    ['a', 'b', 'c', 'd'],
  )
  assert.deepEqual(
    texts.map((text) => JSON.parse(text).apiVersion),
    Array(4).fill('example.com/v2'),
  )
  await textsOf(entries, two)
  assert.deepEqual(asked, ['example.com/v2: b', 'example.com/v2: a c'])
})

test('a conversion that fails is not remembered', async () => {
  let isWell = false
  const { two } = widgets({
    async convert(objects, apiVersion) {
      if (!isWell) throw new Error('the webhook is away')
      return objects.map((object) => ({ ...object, apiVersion }))
    },
  })
  const entry = anEntry('a')
  await assert.rejects(async () => textOf(entry, two), { message: 'the webhook is away' })
  await assert.rejects(textsOf([entry], two), { message: 'the webhook is away' })
  isWell = true
  assert.match(await textOf(entry, two), /"apiVersion":"example\.com\/v2"/)
})

test('where a schema moved on, what is stored is renewed on the way out, also after a conversion', async () => {
  const { one, two } = widgets({ renew: (stored, { name }) => ({ ...stored, renewedFor: name }) })
  const entry = anEntry('a')
  assert.match(await textOf(entry, one), /"renewedFor":"v1"}$/)
  assert.match(await textOf(entry, two), /"converted":true,"renewedFor":"v2"}$/)
  assert.match((await textsOf([anEntry('b')], two))[0] ?? '', /"converted":true,"renewedFor":"v2"}$/)
})

test('without a conversion, versions differ by their name only', async () => {
  const kind = aKind('example.com', 'Widget', 'widgets', { versionNames: ['v1', 'v2'] })
  assert.equal(
    textOf(anEntry('a', { spec: { size: 1 } }), served(kind, 'v2')),
    '{"kind":"Widget","apiVersion":"example.com/v2","metadata":{"name":"a"},"spec":{"size":1}}',
  )
})

test('the object is the caller’s to change', () => {
  const { one } = widgets()
  const entry = anEntry('a')
  const first = objectOf(entry, one) as ApiObject
  first.metadata.name = 'changed'
  assert.equal((objectOf(entry, one) as ApiObject).metadata.name, 'a')
})

test('objects are stored in the stored version, in the order of Kubernetes', async () => {
  const { two } = widgets()
  const object: ApiObject = {
    spec: {},
    metadata: { labels: { a: 'b' }, uid: 'u', name: 'a', managedFields: [], namespace: 'home', generateName: '' },
    apiVersion: 'example.com/v2',
    kind: 'Widget',
  }
  const stored = await toStored(object, two)
  assert.equal(
    JSON.stringify(stored),
    '{"kind":"Widget","apiVersion":"example.com/v1","metadata":{"name":"a","generateName":"","namespace":"home","uid":"u","labels":{"a":"b"},"managedFields":[]},"spec":{},"converted":true}',
  )
  const own = inOrder({ ...object, apiVersion: 'example.com/v1' })
  assert.deepEqual(Object.keys(own), ['kind', 'apiVersion', 'metadata', 'spec'])
})
