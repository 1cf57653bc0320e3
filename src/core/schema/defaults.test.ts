import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { withDefaults } from './defaults.ts'
import type { Schema } from './schema.ts'

const port: Schema = {
  type: 'object',
  properties: { number: { type: 'integer' }, protocol: { type: 'string', default: 'TCP' } },
}
const schema: Schema = {
  type: 'object',
  properties: {
    seconds: { type: 'integer', default: 60 },
    note: { type: 'string', nullable: true, default: 'none' },
    main: { ...port, default: {} },
    spare: port,
    ports: { type: 'array', items: port },
    byName: { type: 'object', additionalProperties: port },
  },
}

test('what is missing gets its default, parents before children', () => {
  assert.deepEqual(withDefaults(schema, {}), { seconds: 60, note: 'none', main: { protocol: 'TCP' } })
})

test('what is there stays, zero and empty included', () => {
  const value = { seconds: 0, note: '', main: { protocol: '' } }
  assert.deepEqual(withDefaults(schema, value), value)
})

test('no parent is made up for the sake of its children', () => {
  assert.equal('spare' in withDefaults<Record<string, unknown>>(schema, {}), false)
})

test('defaults reach into lists and maps', () => {
  const value = withDefaults<Record<string, unknown>>(schema, { ports: [{ number: 1 }], byName: { a: {} }, spare: {} })
  assert.deepEqual(value['ports'], [{ number: 1, protocol: 'TCP' }])
  assert.deepEqual([value['byName'], value['spare']], [{ a: { protocol: 'TCP' } }, { protocol: 'TCP' }])
})

test('null counts as missing where it is not allowed', () => {
  const { seconds, note } = withDefaults<Record<string, unknown>>(schema, { seconds: null, note: null })
  assert.deepEqual([seconds, note], [60, null])
})

test('null counts as missing among items and values of maps too', () => {
  const filled: Schema = { type: 'object', properties: { x: { type: 'integer', default: 1 } }, default: {} }
  const lists: Schema = { items: { type: 'integer', default: 3 } }
  assert.deepEqual(withDefaults<unknown>(lists, [null, 1]), [3, 1])
  assert.deepEqual(withDefaults<unknown>({ additionalProperties: filled }, { a: null }), { a: { x: 1 } })
})

test('neither the input nor the schema is touched, and a full value comes back itself', () => {
  const empty = {}
  const full = withDefaults<Record<string, { protocol?: string }>>(schema, empty)
  assert.deepEqual(empty, {})
  assert.equal(withDefaults(schema, full), full)
  if (full['main']) full['main'].protocol = 'UDP'
  assert.deepEqual(schema.properties?.['main']?.default, {})
})

test('what is not even equal to itself is no change', () => {
  for (const value of [{ seconds: NaN }, { ports: [NaN] }, { byName: { a: NaN } }]) {
    const once = withDefaults<object>(schema, value)
    assert.equal(withDefaults(schema, once), once)
  }
})

test('filling in twice is filling in once', () => {
  fc.assert(
    fc.property(fc.object({ key: fc.constantFrom('seconds', 'main', 'ports', 'byName', 'protocol', 'x') }), (value) => {
      const once = withDefaults(schema, value)
      assert.equal(withDefaults(schema, once), once)
    }),
  )
})
