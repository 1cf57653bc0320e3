import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aKind, served } from '../admission/testing/scene.ts'
import type { Column } from '../kinds/kind.ts'
import { plainForm } from './answer.ts'
import { listText, objectText, rowText } from './forms.ts'
import type { Form } from './negotiate.ts'

const columns: Column[] = [
  {
    ...{ name: 'Name', type: 'string', format: 'name', description: 'its name', priority: 0 },
    cell: ({ metadata }) => metadata.name ?? '',
  },
  {
    ...{ name: 'Age', type: 'string', format: '', description: 'its age', priority: 1 },
    cell: (_, now) => now.toISOString(),
  },
]
const version = { name: 'v1', schema: {}, columns, selectable: {} }
const things = served(aKind('', 'Thing', 'things', { versions: [version] }))
const custom = served(aKind('example.com', 'Thing', 'things', { versions: [version], custom: true }))

const now = new Date('2026-01-01T00:00:00Z')
const form = (as: Form['as'], includeObject: Form['includeObject'] = 'Metadata'): Form => ({
  ...plainForm,
  as,
  includeObject,
})
const text = '{"kind":"Thing","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"7"},"data":{"k":"v"}}'
const partial =
  '{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a","resourceVersion":"7"}}'
const definitions =
  '[{"name":"Name","type":"string","format":"name","description":"its name","priority":0},{"name":"Age","type":"string","format":"","description":"its age","priority":1}]'
const cells = '"cells":["a","2026-01-01T00:00:00.000Z"]'
const meta = { resourceVersion: '9', continue: 'token', remainingItemCount: 3 }

test('one object as it is, as a table and as its metadata', () => {
  assert.equal(objectText(text, things, form('object'), now), text)
  assert.equal(objectText(text, things, form('PartialObjectMetadata'), now), partial)
  assert.equal(
    objectText(text, things, form('Table'), now),
    `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"7"},"columnDefinitions":${definitions},"rows":[{${cells},"object":${partial}}]}`,
  )
})

test('rows carry what was asked for', () => {
  const rowWith = (included: Form['includeObject']) =>
    JSON.parse(objectText(text, things, form('Table', included), now)).rows[0]
  assert.equal(rowWith('None').object, null)
  assert.deepEqual(rowWith('Object').object, JSON.parse(text))
  assert.equal(rowWith('Metadata').object.kind, 'PartialObjectMetadata')
})

test('items of a built-in list say nothing of their type, those of a custom one do', () => {
  const items = (of: typeof things, item: string) => JSON.parse(listText([item], of, form('object'), meta, now)).items
  assert.deepEqual(items(things, text), [{ metadata: { name: 'a', resourceVersion: '7' }, data: { k: 'v' } }])
  const own = text.replace('"v1"', '"example.com/v1"')
  assert.deepEqual(items(custom, own), [JSON.parse(own)])
})

test('lists in all forms carry their version and where they go on', () => {
  const head = (kind: string, apiVersion = 'meta.k8s.io/v1') =>
    `{"kind":"${kind}","apiVersion":"${apiVersion}","metadata":{"resourceVersion":"9","continue":"token","remainingItemCount":3},`
  assert.equal(listText([], things, form('object'), meta, now), `${head('ThingList', 'v1')}"items":[]}`)
  assert.equal(
    listText([text, text], things, form('PartialObjectMetadataList'), meta, now),
    `${head('PartialObjectMetadataList')}"items":[${partial},${partial}]}`,
  )
  assert.equal(
    listText([text], things, form('Table'), meta, now),
    `${head('Table')}"columnDefinitions":${definitions},"rows":[{${cells},"object":${partial}}]}`,
  )
  assert.equal(
    listText([], things, form('Table'), { resourceVersion: '9' }, now),
    `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"9"},"columnDefinitions":${definitions},"rows":[]}`,
  )
})

test('who asks for one where there are many, or for many where there is one, is refused', () => {
  assert.throws(() => listText([text], things, form('PartialObjectMetadata'), meta, now), {
    message: 'you requested PartialObjectMetadata, but the requested object is a list (*core.ThingList)',
  })
  assert.throws(() => objectText(text, things, form('PartialObjectMetadataList'), now), {
    message: 'you requested PartialObjectMetadataList, but the requested object is not a list (*core.Thing)',
  })
  assert.throws(() => objectText(text, custom, form('PartialObjectMetadataList'), now), { code: 500 })
})

test('an older form carries its version', () => {
  const older = { ...form('Table'), metaVersion: 'v1beta1' as const }
  const { apiVersion, rows } = JSON.parse(objectText(text, things, older, now))
  assert.deepEqual([apiVersion, rows[0].object.apiVersion], ['meta.k8s.io/v1beta1', 'meta.k8s.io/v1beta1'])
})

test('of a watch, only the first row carries the columns', () => {
  const row = (isFirst: boolean) => JSON.parse(rowText(text, things, form('Table'), now, isFirst))
  assert.equal(row(true).columnDefinitions.length, 2)
  assert.deepEqual([row(false).columnDefinitions, row(false).metadata], [null, { resourceVersion: '7' }])
})
