import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiFailure } from '../status.ts'
import { applyJsonPatch, jsonPatchFlaws } from './json-patch.ts'

const document = () => ({ data: { a: '1', b: { c: null } }, list: [1, 2, 3], 'x/y~z': 1 })
const patched = (...operations: object[]) => applyJsonPatch(document(), operations)
const refused = (sent: unknown) => {
  try {
    applyJsonPatch(document(), sent)
  } catch (error) {
    assert.ok(error instanceof ApiFailure)
    return `${error.code} ${error.message}`
  }
  return assert.fail('this should have been refused')
}
const rejected = '422 the server rejected our request due to an error in our request'

test('all six operations do what they say', () => {
  assert.deepEqual(
    patched(
      { op: 'test', path: '/data/a', value: '1' },
      { op: 'add', path: '/data/d', value: { e: 1 } },
      { op: 'copy', from: '/data/d', path: '/f' },
      { op: 'add', path: '/f/g', value: 2 },
      { op: 'move', from: '/data/a', path: '/h' },
      { op: 'replace', path: '/list', value: [] },
      { op: 'remove', path: '/x~1y~0z' },
    ),
    { data: { b: { c: null }, d: { e: 1 } }, list: [], f: { e: 1, g: 2 }, h: '1' },
  )
})

test('items are reached by index, from the end, and behind it', () => {
  const list = (...operations: object[]) => patched(...operations)['list']
  assert.deepEqual(list({ op: 'add', path: '/list/1', value: 'x' }), [1, 'x', 2, 3])
  assert.deepEqual(list({ op: 'add', path: '/list/-', value: 'x' }), [1, 2, 3, 'x'])
  assert.deepEqual(list({ op: 'add', path: '/list/-1', value: 'x' }), [1, 2, 3, 'x'])
  assert.deepEqual(list({ op: 'add', path: '/list/3', value: 'x' }), [1, 2, 3, 'x'])
  assert.deepEqual(list({ op: 'remove', path: '/list/-1' }), [1, 2])
  assert.deepEqual(list({ op: 'replace', path: '/list/+1', value: 'x' }), [1, 'x', 3])
  assert.deepEqual(list({ op: 'replace', path: '/list/-0', value: 'x' }), ['x', 2, 3])
})

test('a member that is not there is null to a test and a copy, and is added by a replace', () => {
  patched({ op: 'test', path: '/data/none', value: null }, { op: 'test', path: '/data/b/c', value: null })
  patched({ op: 'test', path: '/data/none' })
  assert.equal(patched({ op: 'copy', from: '/data/none', path: '/x' })['x'], null)
  assert.equal(patched({ op: 'replace', path: '/x', value: 1 })['x'], 1)
  assert.equal(patched({ op: 'add', path: '/x' })['x'], null)
})

test('the whole document can be tested and replaced, by another object only', () => {
  assert.deepEqual(patched({ op: 'test', path: '', value: document() }), document())
  assert.deepEqual(patched({ op: 'replace', path: '', value: { n: 1 } }), { n: 1 })
  for (const value of [5, null, 'x', []]) assert.equal(refused([{ op: 'replace', path: '', value }]), rejected)
})

test('a member may have any name', () => {
  const odd = patched(
    { op: 'add', path: '/data/__proto__', value: 'x' },
    { op: 'test', path: '/data/__proto__', value: 'x' },
  )
  assert.ok(Object.hasOwn(odd['data'] as object, '__proto__'))
  assert.equal(refused([{ op: 'remove', path: '/data/constructor' }]), rejected)
  assert.equal(refused([{ op: 'add', path: '/data/constructor/x', value: 1 }]), rejected)
})

test('what cannot be done is refused without a reason', () => {
  for (const operation of [
    null,
    {},
    { op: 'add', value: 1 },
    { op: 'Add', path: '/x', value: 1 },
    { op: 'add', path: 'x', value: 1 },
    { op: 'add', path: '', value: {} },
    { op: 'add', path: '/none/x', value: 1 },
    { op: 'add', path: '/data/a/x', value: 1 },
    { op: 'add', path: '/list/4', value: 1 },
    { op: 'add', path: '/list/-5', value: 1 },
    { op: 'add', path: '/list/x', value: 1 },
    { op: 'remove', path: '/none' },
    { op: 'remove', path: '/list/3' },
    { op: 'remove', path: '/list/-' },
    { op: 'replace', path: '/list/3', value: 1 },
    { op: 'move', from: '/none', path: '/x' },
    { op: 'move', from: '/data', path: '/data/x' },
    { op: 'copy', path: '/x' },
    { op: 'test', path: '/data/a', value: 1 },
    { op: 'test', path: '/list/7', value: null },
  ])
    assert.equal(refused([operation]), rejected, JSON.stringify(operation))
})

test('what is no list of operations is a bad request', () => {
  const cannot = '400 error decoding patch: json: cannot unmarshal'
  assert.equal(refused({}), `${cannot} object into Go value of type []handlers.jsonPatchOp`)
  assert.equal(refused([true]), `${cannot} bool into Go value of type handlers.jsonPatchOp`)
  assert.equal(refused([{ path: [] }]), `${cannot} array into Go struct field jsonPatchOp.path of type string`)
  assert.deepEqual(applyJsonPatch(document(), null), document())
})

test('more than 10,000 operations are too many', () => {
  const operations = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/data/a', value: '1' }))
  assert.match(refused(operations), /^413 .* is 10000, got 10001$/)
  applyJsonPatch(document(), operations.slice(1))
})

test('members that no operation has are told to who asks strictly', () => {
  assert.deepEqual(jsonPatchFlaws([{ op: 'add', path: '/x', foo: 1 }, 5]), ['json patch unknown field "[0].foo"'])
})

test('copies that would double a document again and again are refused', () => {
  const doubling = Array.from({ length: 40 }, (_, i) => ({ op: 'copy', from: '/data', path: `/data/k${i}` }))
  assert.equal(refused(doubling), rejected)
  const large = 'x'.repeat(1024 * 1024)
  const copies = (count: number) => [
    { op: 'add', path: '/large', value: large },
    ...Array.from({ length: count }, (_, i) => ({ op: 'copy', from: '/large', path: `/copy${i}` })),
  ]
  assert.equal(patched(...copies(2))['copy1'], large)
  assert.equal(refused(copies(3)), rejected)
})
