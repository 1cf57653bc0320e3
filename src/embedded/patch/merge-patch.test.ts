import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiFailure } from '../status.ts'
import { applyMergePatch } from './merge-patch.ts'

test('members are set, null deletes them, and the rest stays', () => {
  const document = { a: { b: 1, c: 2 }, d: [1, 2], e: 'x' }
  assert.deepEqual(applyMergePatch(document, { a: { b: null, f: 3 }, d: [3], g: null }), {
    a: { c: 2, f: 3 },
    d: [3],
    e: 'x',
  })
  assert.deepEqual(document, { a: { b: 1, c: 2 }, d: [1, 2], e: 'x' })
})

test('an object replaces what is none, without its null members, in lists too', () => {
  assert.deepEqual(applyMergePatch({ a: 1 }, { a: { b: null, c: [null, { d: null, e: 1 }] } }), {
    a: { c: [null, { e: 1 }] },
  })
})

test('members may have any name', () => {
  const patch = JSON.parse('{"__proto__":{"x":1},"constructor":{"y":1}}') as unknown
  assert.equal(JSON.stringify(applyMergePatch({}, patch)), '{"__proto__":{"x":1},"constructor":{"y":1}}')
})

test('what is no object is a bad request', () => {
  const refused = (patch: unknown) => {
    const { code, message } = caught(() => applyMergePatch({}, patch))
    return `${code} ${message}`
  }
  assert.equal(refused(null), '400 Invalid JSON Patch')
  assert.equal(
    refused([]),
    '400 error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}',
  )
})

function caught(action: () => unknown): ApiFailure {
  try {
    action()
  } catch (error) {
    if (error instanceof ApiFailure) return error
    throw error
  }
  return assert.fail('this should have been refused')
}
