import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ApiObject } from '../objects.ts'
import { ApiFailure } from '../status.ts'
import type { Application } from './apply.ts'
import { serverSideApply } from './apply.ts'
import { trackUpdate } from './manage.ts'
import { aShelf, fullSpecs, shelfSchema, shelfVersion } from './testing/shelf.ts'

const noon = new Date('2030-01-01T12:00:00Z')
const later = new Date('2030-01-01T13:00:00Z')
const request = { schema: shelfSchema, now: noon, apiVersion: shelfVersion, kind: 'Shelf', custom: true }

type Options = Partial<Omit<Application, 'live' | 'applied' | 'manager'>> & { metadata?: object }

const apply = (live: ApiObject | undefined, manager: string, spec?: object, { metadata, ...options }: Options = {}) =>
  serverSideApply({ live, applied: aShelf(spec, metadata), manager, force: false, ...request, ...options }).object

function create(spec: object, manager = 'maker', metadata: object = {}): ApiObject {
  const updated = aShelf(spec, metadata)
  const managedFields = trackUpdate({ live: undefined, updated, manager, ...request })
  return { ...updated, metadata: { ...updated.metadata, managedFields } }
}

function refused(action: () => unknown): ApiFailure {
  try {
    action()
  } catch (error) {
    if (error instanceof ApiFailure) return error
    throw error
  }
  return assert.fail('this should have been refused')
}

const owners = ({ metadata }: ApiObject) =>
  Object.fromEntries(
    (metadata.managedFields ?? []).map((entry) => [`${entry.manager} ${entry.operation}`, entry.fieldsV1]),
  )

test('what is not there is created as it is applied', () => {
  const created = apply(undefined, 'one', { title: 'x' })
  assert.deepEqual(created['spec'], { title: 'x' })
  assert.deepEqual(created.metadata.managedFields, [
    {
      manager: 'one',
      operation: 'Apply',
      apiVersion: shelfVersion,
      time: '2030-01-01T12:00:00Z',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:spec': { 'f:title': {} } },
    },
  ])
})

test('what is applied no more goes, unless another owns it', () => {
  const one = apply(undefined, 'one', { title: 'x', count: 1, notes: { a: '1', b: '1' } })
  const two = apply(one, 'two', { count: 1, notes: { b: '1' } })
  const dropped = apply(two, 'one', { title: 'x' })
  assert.deepEqual(dropped['spec'], { title: 'x', count: 1, notes: { b: '1' } })
  assert.deepEqual(apply(dropped, 'two')['spec'], { title: 'x' })
})

test('whoever is alone has what it applied last, whatever it applied before', () => {
  fc.assert(
    fc.property(fc.array(fullSpecs, { minLength: 1, maxLength: 4 }), (specs) => {
      const object = specs.reduce<ApiObject | undefined>((live, spec) => apply(live, 'one', spec), undefined)
      assert.deepEqual(object?.['spec'], specs.at(-1))
    }),
  )
})

test('by force, what one applies is there, and applying it again changes nothing', () => {
  fc.assert(
    fc.property(fullSpecs, fullSpecs, fullSpecs, (first, second, third) => {
      const live = apply(apply(undefined, 'one', first), 'two', second, { force: true })
      const forced = apply(live, 'one', third, { force: true })
      assert.deepEqual(apply(forced, 'one', third, { now: later }), forced)
    }),
  )
})

test('a change of what another owns is a conflict that names the owner', () => {
  const live = apply(create({ title: 'x', count: 1 }), 'one', { books: [{ name: 'b', lent: 'no' }] })
  const single = refused(() => apply(live, 'two', { title: 'y' }))
  assert.deepEqual(
    [single.code, single.reason, single.message],
    [409, 'Conflict', 'Apply failed with 1 conflict: conflict with "maker" using lanyard.test/v1: .spec.title'],
  )
  const several = refused(() => apply(live, 'two', { title: 'y', count: 2, books: [{ name: 'b', lent: 'yes' }] }))
  assert.equal(
    several.message,
    'Apply failed with 3 conflicts: conflicts with "maker" using lanyard.test/v1:\n- .spec.count\n- .spec.title\nconflicts with "one":\n- .spec.books[name="b"].lent',
  )
  assert.deepEqual(several.details?.causes?.[2], {
    reason: 'FieldManagerConflict',
    message: 'conflict with "one"',
    field: '.spec.books[name="b"].lent',
  })
})

test('force takes over', () => {
  const forced = apply(create({ title: 'x', count: 1 }), 'one', { title: 'y' }, { force: true })
  assert.deepEqual(owners(forced), {
    'one Apply': { 'f:spec': { 'f:title': {} } },
    'maker Update': { 'f:spec': { '.': {}, 'f:count': {} } },
  })
})

test('the same value is shared, and when nothing changed by it no time is written down', () => {
  const shared = apply(create({ title: 'x' }), 'one', { title: 'x' })
  assert.equal(shared.metadata.managedFields?.[0]?.manager, 'one')
  assert.equal(shared.metadata.managedFields?.[0]?.time, undefined)
})

test('what was there before anybody was written down is kept for nobody in particular', () => {
  const applied = apply(aShelf({ title: 'x' }), 'one', { count: 1 })
  assert.deepEqual(owners(applied)['before-first-apply Update'], { 'f:spec': { '.': {}, 'f:title': {} } })
})

test('what is emptied but owned by another is null', () => {
  const live = apply(create({ notes: {} }), 'one', { notes: { a: '1' } })
  assert.deepEqual(apply(live, 'one', {})['spec'], { notes: null })
})

test('what the request cannot change is not owned', () => {
  const applied = { ...aShelf({ title: 'x' }), status: { full: 'yes' } }
  const input = { live: undefined, applied, manager: 'one', force: false, ...request, ignored: [['status']] }
  assert.deepEqual(owners(serverSideApply(input).object), { 'one Apply': { 'f:spec': { 'f:title': {} } } })
})

test('what is of another type, or brings managed fields, is a bad request', () => {
  const why = (applied: ApiObject) =>
    refused(() => serverSideApply({ live: undefined, applied, manager: 'one', force: false, ...request })).message
  assert.equal(why({ ...aShelf(), kind: 'Secret' }), 'invalid object type: lanyard.test/v1, Kind=Secret')
  assert.equal(why({ ...aShelf(), apiVersion: 'v1' }), 'invalid object type: /v1, Kind=Shelf')
  assert.equal(why({} as ApiObject), 'invalid object type: /, Kind=')
  assert.equal(why(aShelf({}, { managedFields: [] })), 'metadata.managedFields must be nil')
  assert.deepEqual(apply(undefined, 'one', {}, { metadata: { managedFields: null } })['spec'], {})
})

test('what does not fit the schema is refused in the words of the real server', () => {
  const why = (spec: object) => {
    const { code, message } = refused(() => apply(undefined, 'one', spec))
    assert.equal(code, 500)
    return message.replace('failed to create typed patch object (/one; lanyard.test/v1, Kind=Shelf): ', '')
  }
  assert.equal(why({ foo: 1 }), '.spec.foo: field not declared in schema')
  assert.equal(why({ title: 1 }), '.spec.title: expected string, got &value.valueUnstructured{Value:1}')
  assert.equal(
    why({ notes: { k: { a: [1, 'x', null, true] } } }),
    '.spec.notes.k: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"a":[]interface {}{1, "x", interface {}(nil), true}}}',
  )
  assert.equal(why({ count: 'x' }), '.spec.count: expected numeric (int or float), got string')
  assert.equal(why({ open: 'x' }), '.spec.open: expected boolean, got &{x}')
  assert.equal(why({ tags: { a: 1 } }), '.spec.tags: expected list, got &{map[a:1]}')
  assert.equal(
    why({ size: [1, 2], books: ['x'] }),
    'errors:\n  .spec.size: expected map, got &{[1 2]}\n  .spec.books: element 0: associative list with keys may not have non-map elements',
  )
  assert.equal(
    why({ doors: [{ port: 1 }, { port: 1, protocol: 'TCP' }] }),
    '.spec.doors: duplicate entries for key [port=1,protocol="TCP"]',
  )
})

test('kubectl may change on the server what it applied on its own side, and its memory is kept up to date', () => {
  const annotation = 'kubectl.kubernetes.io/last-applied-configuration'
  const memory = (spec: object) => ({ annotations: { [annotation]: JSON.stringify(aShelf(spec)) } })
  const live = create({ title: 'x', count: 1 }, 'kubectl-client-side-apply', memory({ title: 'x', count: 2 }))
  const taken = apply(live, 'kubectl', { title: 'y' })
  assert.equal(
    taken.metadata.annotations?.[annotation],
    '{"apiVersion":"lanyard.test/v1","kind":"Shelf","metadata":{"name":"one"},"spec":{"title":"y"}}\n',
  )
  assert.match(refused(() => apply(live, 'kubectl', { count: 3 })).message, /\.spec\.count$/)
  assert.match(refused(() => apply(live, 'other', { title: 'y' })).message, /\.spec\.title$/)
})
