import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ApiObject } from '../objects.ts'
import { compare } from './compare.ts'
import { difference, isEmpty, noFields, union } from './fields.ts'
import type { TrackedWrite } from './manage.ts'
import { trackUpdate } from './manage.ts'
import type { ManagedFieldsEntry } from './managed.ts'
import { readManaged } from './managed.ts'
import { withoutOwnerless } from './own-fields.ts'
import { aShelf, fullSpecs, shelfSchema, shelfVersion } from './testing/shelf.ts'
import { isUnchanged } from './unchanged.ts'

const noon = new Date('2030-01-01T12:00:00.700Z')
const later = new Date('2030-01-01T13:00:00Z')

type Options = Partial<Omit<TrackedWrite, 'live' | 'updated'>>

const track = (live: ApiObject | undefined, updated: ApiObject, options: Options = {}): ApiObject => {
  const schema = shelfSchema
  const write = {
    live,
    updated,
    schema,
    manager: 'maker',
    now: noon,
    apiVersion: shelfVersion,
    custom: true,
    ...options,
  }
  const managedFields = trackUpdate(write)
  return { ...updated, metadata: { ...updated.metadata, managedFields } }
}
const owners = ({ metadata }: ApiObject) =>
  Object.fromEntries(
    (metadata.managedFields ?? []).map(({ manager, subresource, fieldsV1 }) => [
      [manager, subresource].filter(Boolean).join('/'),
      fieldsV1,
    ]),
  )

test('a create is written down with its time to the second, in the form of Kubernetes', () => {
  const { metadata } = track(undefined, aShelf({ title: 'x' }, { uid: 'u', labels: { a: 'b' } }))
  assert.equal(
    JSON.stringify(metadata.managedFields),
    JSON.stringify([
      {
        manager: 'maker',
        operation: 'Update',
        apiVersion: shelfVersion,
        time: '2030-01-01T12:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } },
          'f:spec': { '.': {}, 'f:title': {} },
        },
      },
    ]),
  )
})

test('what is changed goes over to who changed it; what is removed is forgotten', () => {
  const live = track(undefined, aShelf({ title: 'x', notes: { a: '1', b: '1' } }))
  const updated = track(live, aShelf({ title: 'y', notes: { b: '1', c: '1' } }), { manager: 'other', now: later })
  assert.deepEqual(owners(updated), {
    maker: { 'f:spec': { '.': {}, 'f:notes': { '.': {}, 'f:b': {} } } },
    other: { 'f:spec': { 'f:notes': { 'f:c': {} }, 'f:title': {} } },
  })
  assert.deepEqual(
    updated.metadata.managedFields?.map(({ time }) => time),
    ['2030-01-01T12:00:00Z', '2030-01-01T13:00:00Z'],
  )
})

test('a manager who owns nothing any more is forgotten', () => {
  const live = track(undefined, aShelf({ title: 'x' }))
  const more = track(live, aShelf({ title: 'x', count: 1 }), { manager: 'other' })
  assert.deepEqual(Object.keys(owners(track(more, aShelf({ title: 'x' }), { manager: 'third' }))), ['maker'])
})

test('time moves with every change of what one owns, and not without one', () => {
  const live = track(undefined, aShelf({ title: 'x' }))
  const time = (updated: ApiObject) => updated.metadata.managedFields?.[0]?.time
  assert.equal(time(track(live, aShelf({ title: 'x' }), { now: later })), '2030-01-01T12:00:00Z')
  const changed = track(live, aShelf({ title: 'y' }), { now: later })
  assert.equal(time(changed), '2030-01-01T13:00:00Z')
  assert.deepEqual(owners(changed), owners(live))
})

test('a subresource has an entry of its own, and what it cannot change is nobody’s', () => {
  const live = track(undefined, aShelf({ title: 'x' }))
  const updated = { ...aShelf({ title: 'y' }), status: { full: 'yes' } }
  const ignored = [['spec'], ['metadata']]
  assert.deepEqual(owners(track(live, updated, { subresource: 'status', ignored })), {
    maker: { 'f:spec': { '.': {}, 'f:title': {} } },
    'maker/status': { 'f:status': { '.': {}, 'f:full': {} } },
  })
})

test('who sends an empty list, or one empty entry, clears it, and nobody is written down from then on', () => {
  const live = track(undefined, aShelf({ title: 'x' }))
  for (const managedFields of [[], [{}]]) {
    const cleared = track(live, aShelf({ title: 'x' }, { managedFields }))
    assert.deepEqual(cleared.metadata.managedFields, [])
    assert.deepEqual(track(cleared, aShelf({ title: 'y' })).metadata.managedFields, [])
  }
})

test('what cannot be read is ignored; what can counts', () => {
  const live = track(undefined, aShelf({ title: 'x' }))
  const entry = { manager: 'edited', operation: 'Apply', apiVersion: shelfVersion, fieldsType: 'FieldsV1' }
  const sent = (managedFields: ManagedFieldsEntry[], options?: Options) =>
    Object.keys(owners(track(live, aShelf({ title: 'x' }, { managedFields }), options)))
  const fieldsV1 = { 'f:spec': { 'f:title': {} } }
  assert.deepEqual(sent([{ ...entry, fieldsV1 }]), ['edited'])
  assert.deepEqual(sent([{ ...entry, fieldsV1 }], { subresource: 'status' }), ['maker'])
  for (const bad of [
    { operation: 'Guess' },
    { apiVersion: '' },
    { fieldsType: '' },
    { fieldsType: 'FieldsV2' },
    { fieldsV1: { nonsense: {} } },
  ])
    assert.deepEqual(sent([{ ...entry, fieldsV1, ...bad }]), ['maker'])
  assert.deepEqual(sent([{ ...entry, fieldsV1: {} }]), [])
})

test('after an item without a key nobody owns anything, as the real server forgets whose the fields are', () => {
  const live = track(undefined, aShelf({ title: 'x' }))
  assert.deepEqual(owners(track(live, aShelf({ title: 'y', books: [{ lent: 'no' }] }))), {})
})

test('ten who updated are kept, the oldest of more are put together', () => {
  let live = track(undefined, aShelf({ title: 'x' }))
  const notes: Record<string, string> = {}
  for (let i = 0; i < 12; i++) {
    notes[`n${i}`] = '1'
    const now = new Date(noon.getTime() + i * 1000)
    live = track(live, aShelf({ title: 'x', notes: { ...notes } }), { manager: `manager-${i}`, now })
  }
  const all = owners(live)
  assert.equal(Object.keys(all).length, 10)
  assert.deepEqual(all['ancient-changes'], {
    'f:spec': { '.': {}, 'f:notes': { '.': {}, 'f:n0': {}, 'f:n1': {}, 'f:n2': {} }, 'f:title': {} },
  })
  assert.equal(live.metadata.managedFields?.[0]?.time, '2030-01-01T12:00:02Z')
})

test('versions that differ are compared in the version of each owner; one that is gone takes its owner along', () => {
  const old = { ...shelfSchema, properties: { ...shelfSchema.properties, content: { type: 'object' as const } } }
  const convert = (object: ApiObject, apiVersion: string) => {
    if (apiVersion === 'lanyard.test/v0') {
      const { spec, ...rest } = object
      return { object: { ...rest, apiVersion, content: spec } as ApiObject, schema: old }
    }
    return apiVersion === shelfVersion ? { object, schema: shelfSchema } : undefined
  }
  const entry = (apiVersion: string, fieldsV1: object) => ({
    manager: apiVersion,
    operation: 'Update',
    apiVersion,
    fieldsType: 'FieldsV1',
    fieldsV1,
  })
  const managedFields = [
    entry('lanyard.test/v0', { 'f:content': { 'f:title': {}, 'f:count': {} } }),
    entry('lanyard.test/gone', { 'f:spec': { 'f:title': {} } }),
  ]
  const live = aShelf({ title: 'x', count: 1 }, { managedFields })
  assert.deepEqual(owners(track(live, aShelf({ title: 'y', count: 1 }), { convert })), {
    'lanyard.test/v0': { 'f:content': { 'f:count': {} } },
    maker: { 'f:spec': { 'f:title': {} } },
  })
})

test('who owns parts of what the schema has made one owns the whole', () => {
  const live = track(undefined, aShelf({ authors: ['p'], size: { width: '1' }, title: 'x' }))
  const text = { type: 'string' as const }
  const spec = { type: 'object' as const, 'x-kubernetes-map-type': 'granular' as const }
  const properties = {
    title: text,
    authors: { type: 'array' as const, items: text },
    size: { type: 'object' as const, 'x-kubernetes-map-type': 'atomic' as const },
  }
  const schema = { ...shelfSchema, properties: { ...shelfSchema.properties, spec: { ...spec, properties } } }
  const updated = track(live, aShelf({ authors: ['p'], size: { width: '1' }, title: 'y' }), { schema })
  assert.deepEqual(owners(updated), {
    maker: { 'f:spec': { '.': {}, 'f:authors': {}, 'f:size': {}, 'f:title': {} } },
  })
})

test('a write that changes nothing is known by everything but the times', () => {
  const live = track(undefined, aShelf({ title: 'x' }))
  assert.ok(isUnchanged(live, track(undefined, aShelf({ title: 'x' }), { now: later })))
  assert.ok(!isUnchanged(live, track(undefined, aShelf({ title: 'x' }), { manager: 'other' })))
  assert.ok(!isUnchanged(live, track(live, aShelf({ title: 'y' }))))
  assert.ok(!isUnchanged(live, aShelf({ title: 'x' })))
})

test('whatever is updated, in whatever order, every field has an owner, and no owner a field that is not there', () => {
  const writes = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fullSpecs), { minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(writes, (all) => {
      let live: ApiObject | undefined
      for (const [manager, spec] of all) {
        live = track(live, aShelf(spec), { manager })
        const { added } = compare(shelfSchema, { apiVersion: shelfVersion, kind: 'Shelf' }, aShelf(spec))
        const there = withoutOwnerless(added)
        const owned = readManaged(live.metadata.managedFields).reduce((set, { fields }) => union(set, fields), noFields)
        assert.ok(isEmpty(difference(there, owned)) && isEmpty(difference(owned, there)))
      }
    }),
  )
})
