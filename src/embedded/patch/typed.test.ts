import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compare } from './compare.ts'
import { isEmpty, setOf } from './fields.ts'
import { printFields } from './fields-v1.ts'
import { equalJson } from './json.ts'
import { merge } from './merge.ts'
import { remove } from './remove.ts'
import { aShelf, fullSpecs, shelfSchema } from './testing/shelf.ts'
import { fieldsOf, itemElement, Unkeyed, withNamedParents } from './typed.ts'

const spec = shelfSchema.properties?.['spec']
const owned = (value: object) => printFields(fieldsOf(spec, value))
const compared = (before: object | undefined, after: object | undefined) => {
  const { added, modified, removed } = compare(spec, before, after)
  return { added: printFields(added), modified: printFields(modified), removed: printFields(removed) }
}
const merged = (live: object, applied: object) => merge(spec, live, applied)
const none = { added: {}, modified: {}, removed: {} }

test('fields are owned by name, items by key or value, and what is atomic as one', () => {
  assert.deepEqual(
    owned({
      title: 'x',
      tags: ['a'],
      authors: ['p'],
      books: [{ name: 'b', lent: 'no' }],
      size: { width: '1' },
      frame: { wood: 'oak' },
      notes: { n: '1' },
      extra: { deep: { list: [1] } },
    }),
    {
      'f:authors': { 'v:"p"': {} },
      'f:books': { 'k:{"name":"b"}': { '.': {}, 'f:lent': {}, 'f:name': {} } },
      'f:extra': { 'f:deep': { '.': {}, 'f:list': {} } },
      'f:frame': {},
      'f:notes': { 'f:n': {} },
      'f:size': { 'f:width': {} },
      'f:tags': {},
      'f:title': {},
    },
  )
})

test('an empty object is owned, and so is null; an empty list by keys or values is nothing', () => {
  assert.deepEqual(owned({ size: {}, notes: {}, title: null, authors: [], books: [], tags: [] }), {
    'f:notes': {},
    'f:size': {},
    'f:tags': {},
    'f:title': {},
  })
})

test('items of one key are owned as one', () => {
  assert.deepEqual(owned({ books: [{ name: 'b', lent: 'no' }, { name: 'b' }] }), {
    'f:books': { 'k:{"name":"b"}': {} },
  })
})

test('a key that is missing has its default; an item without any key has no place', () => {
  const doors = spec?.properties?.['doors']
  assert.equal(itemElement(doors, { port: 1 }), 'k:{"port":1,"protocol":"TCP"}')
  assert.throws(() => itemElement(spec?.properties?.['books'], { lent: 'no' }), Unkeyed)
  assert.throws(() => itemElement(spec?.properties?.['books'], 'b'), Unkeyed)
})

test('parents are added as far as the schema names them', () => {
  const set = setOf(['f:size', 'f:width'], ['f:rooms', 'f:north', 'f:x'])
  assert.deepEqual(printFields(withNamedParents(spec, set)), {
    'f:rooms': { '.': {}, 'f:north': { 'f:x': {} } },
    'f:size': { '.': {}, 'f:width': {} },
  })
})

test('a comparison tells what was added, with the objects it is in, changed and removed', () => {
  const before = { title: 'x', notes: { a: '1', b: '1' }, books: [{ name: 'b', lent: 'no' }] }
  const after = { title: 'y', notes: { a: '1', c: '1' }, size: { width: '1' }, books: [{ name: 'b' }, { name: 'c' }] }
  assert.deepEqual(compared(before, after), {
    added: {
      'f:books': { 'k:{"name":"c"}': { '.': {}, 'f:name': {} } },
      'f:notes': { 'f:c': {} },
      'f:size': { '.': {}, 'f:width': {} },
    },
    modified: { 'f:title': {} },
    removed: { 'f:books': { 'k:{"name":"b"}': { 'f:lent': {} } }, 'f:notes': { 'f:b': {} } },
  })
})

test('an order of items does not count, but of an atomic list it does', () => {
  const before = { authors: ['p', 'q'], books: [{ name: 'a' }, { name: 'b' }], tags: ['x', 'y'] }
  const after = { authors: ['q', 'p'], books: [{ name: 'b' }, { name: 'a' }], tags: ['y', 'x'] }
  assert.deepEqual(compared(before, after), { ...none, modified: { 'f:tags': {} } })
})

test('null, empty and absent are three things', () => {
  assert.deepEqual(compared({ notes: {} }, { notes: null }), { ...none, modified: { 'f:notes': {} } })
  assert.deepEqual(compared({}, { notes: {} }), { ...none, added: { 'f:notes': {} } })
  assert.deepEqual(compared({ notes: null }, { notes: { a: '1' } }), { ...none, added: { 'f:notes': { 'f:a': {} } } })
  assert.deepEqual(compared({ authors: ['p'] }, { authors: [] }), {
    ...none,
    removed: { 'f:authors': { 'v:"p"': {} } },
  })
})

test('items of one key are compared as one', () => {
  const [one, two] = [
    { name: 'b', lent: 'no' },
    { name: 'b', lent: 'yes' },
  ]
  const item = (fields: object) => ({ 'f:books': { 'k:{"name":"b"}': fields } })
  assert.deepEqual(compared({ books: [one, two] }, { books: [two, one] }), { ...none, modified: item({}) })
  assert.deepEqual(compared({ books: [one] }, { books: [one, two] }), {
    ...none,
    added: item({}),
    removed: item({ '.': {}, 'f:lent': {}, 'f:name': {} }),
  })
  assert.deepEqual(compared({ books: [one, two] }, { books: [one] }), {
    ...none,
    added: item({ '.': {}, 'f:lent': {}, 'f:name': {} }),
    removed: item({}),
  })
})

test('what has no schema may change its type', () => {
  assert.deepEqual(compared({ extra: { a: 1 } }, { extra: 5 }), {
    ...none,
    modified: { 'f:extra': {} },
    removed: { 'f:extra': { 'f:a': {} } },
  })
  assert.deepEqual(compared({ extra: [1] }, { extra: { a: 1 } }), {
    ...none,
    added: { 'f:extra': { 'f:a': {} } },
    modified: { 'f:extra': {} },
  })
})

test('members may have any name', () => {
  const odd = JSON.parse('{"notes":{"constructor":"1","__proto__":"2","toString":"3"}}') as { notes: object }
  const all = { 'f:notes': { 'f:__proto__': {}, 'f:constructor': {}, 'f:toString': {} } }
  assert.deepEqual(compared({ notes: { x: '1' } }, odd).added, all)
  assert.deepEqual(compared(odd, { notes: { x: '1' } }).removed, all)
  assert.ok(equalJson(merged({ notes: {} }, odd), odd))
  assert.ok(!equalJson({}, { constructor: '1' }) && !equalJson({ constructor: '1' }, {}))
  assert.ok(
    equalJson(
      remove(spec, odd, setOf(['f:notes', 'f:constructor'])),
      JSON.parse('{"notes":{"__proto__":"2","toString":"3"}}'),
    ),
  )
})

test('what is applied is put into lists in its own order', () => {
  const named = (names: string) => ({ books: [...names].map((name) => ({ name })) })
  const order = (live: string, applied: string) =>
    (merged(named(live), named(applied)) as ReturnType<typeof named>).books.map(({ name }) => name).join('')
  assert.equal(order('', 'ab'), 'ab')
  assert.equal(order('ab', ''), 'ab')
  assert.equal(order('bzc', 'cbd'), 'zcbd')
  assert.equal(order('zcbd', 'eba'), 'zcebda')
  assert.equal(order('abcd', 'dx'), 'abcdx')
  assert.equal(order('abcd', 'xa'), 'xabcd')
})

test('a merge keeps null apart from empty', () => {
  assert.deepEqual(merged({ notes: { a: '1' } }, { notes: null }), { notes: { a: '1' } })
  assert.deepEqual(merged({ notes: {} }, { notes: null }), { notes: null })
  assert.deepEqual(merged({ title: 'x' }, { title: null }), { title: null })
  assert.deepEqual(merged({ authors: ['p'] }, { authors: [] }), { authors: ['p'] })
  assert.deepEqual(merged({ frame: { wood: 'oak' } }, { frame: {} }), { frame: {} })
})

test('what is emptied by a removal is null', () => {
  const value = { notes: { a: '1' }, authors: ['p'], books: [{ name: 'b', lent: 'no' }] }
  const fields = setOf(['f:notes', 'f:a'], ['f:authors', 'v:"p"'], ['f:books', 'k:{"name":"b"}', 'f:lent'])
  assert.deepEqual(remove(spec, value, fields), { notes: null, authors: null, books: [{ name: 'b' }] })
})

test('comparing an object with itself finds nothing, and with nothing all that it sets', () => {
  fc.assert(
    fc.property(fullSpecs, (value) => {
      assert.deepEqual(compared(value, structuredClone(value)), none)
      const { added } = compare(spec, undefined, value)
      const { removed } = compare(spec, value, undefined)
      assert.deepEqual(printFields(added), printFields(removed))
    }),
  )
})

test('applying a difference gives what it was made of: remove what was removed, merge what is there', () => {
  const sorted = (value: unknown): unknown =>
    JSON.parse(
      JSON.stringify(value, (_, part: unknown) =>
        Array.isArray(part)
          ? part.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
          : part && typeof part === 'object'
            ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
            : part,
      ),
    )
  fc.assert(
    fc.property(fullSpecs, fullSpecs, (before, after) => {
      const [then, now] = [aShelf(before), aShelf(after)]
      const { removed } = compare(shelfSchema, then, now)
      const rest = remove(shelfSchema, then, removed)
      assert.deepEqual(sorted(merge(shelfSchema, rest, now)), sorted(now))
    }),
  )
})

test('applying twice is applying once', () => {
  fc.assert(
    fc.property(fullSpecs, fullSpecs, (live, applied) => {
      const once = merge(spec, live, applied)
      const { added, modified, removed } = compare(spec, once, merge(spec, once, applied))
      assert.ok([added, modified, removed].every(isEmpty))
    }),
  )
})
