import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ApiObject } from '../objects.ts'
import { badRequest } from '../status.ts'
import { whyNotApplied } from './patch-words.ts'
import { patched } from './patched.ts'
import { aKind, served } from './testing/scene.ts'
import type { Webhook } from './webhooks.ts'

const webhook = { name: 'w' } as Webhook
const verdict = (patch: unknown, patchType = 'JSONPatch') => ({
  allowed: true,
  status: {},
  warnings: [],
  patch: typeof patch === 'string' ? patch : JSON.stringify(patch),
  patchType,
})

/** Drops what is not known, and insists on text in `data`. */
const configMaps = aKind('', 'ConfigMap', 'configmaps', {
  rules: { defaults: (object) => void Object.assign(object, { defaulted: true }) },
  decode: ({ whatever, ...sent }) => {
    if (typeof sent['data'] !== 'object')
      throw badRequest('ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal')
    return { object: sent as ApiObject, flaws: [] }
  },
})

const object = (): ApiObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'x' },
  data: { a: '1' },
  defaulted: true,
})

const outcome = (patch: unknown, { isDelete = false } = {}) => {
  try {
    return patched(webhook, verdict(patch), isDelete ? undefined : object(), served(configMaps))
  } catch (error) {
    return (error as Error).message
  }
}
const add = (path: string, value: unknown) => [{ op: 'add', path, value }]

describe('what a webhook makes of an object', () => {
  test('is the object with its patch, decoded and with its defaults', () => {
    const before = object()
    const after = patched(
      webhook,
      verdict([...add('/data/b', '2'), ...add('/whatever', 1)]),
      before,
      served(configMaps),
    )
    assert.deepEqual(after, { ...object(), data: { a: '1', b: '2' } })
    assert.deepEqual(before, object())
  })

  test('is nothing where the patch is empty or changes nothing', () => {
    for (const patch of ['', [], add('/data/a', '1')]) assert.equal(outcome(patch), undefined)
  })

  test('must be of the same kind, and readable', () => {
    assert.equal(
      outcome(add('/kind', 'Secret')),
      'Internal error occurred: no kind "Secret" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
    )
    assert.equal(outcome(add('/data', 7)), 'Internal error occurred: json: cannot unmarshal')
  })

  test('cannot be anything while something is deleted', () => {
    assert.equal(
      outcome(add('/data/a', '2'), { isDelete: true }),
      'Internal error occurred: admission webhook "w" attempted to modify the object, which is not supported for this operation',
    )
  })

  test('is not known where the patch is none', () => {
    const told = (why: string) => `failed calling webhook "w": received undecodable patch in webhook response: ${why}`
    assert.equal(outcome('hello'), told("invalid character 'h' looking for beginning of value"))
    assert.equal(outcome({}), told('json: cannot unmarshal object into Go value of type jsonpatch.Patch'))
    assert.equal(outcome([7]), told('json: cannot unmarshal number into Go value of type jsonpatch.Operation'))
    assert.throws(() => patched(webhook, verdict(add('/data/a', '2'), 'Merge'), object(), served(configMaps)), {
      message: 'failed calling webhook "w": unsupported patch type "Merge"',
    })
  })
})

describe('an operation that does not fit', () => {
  const document = { data: { a: '1' }, list: ['x'] }
  const table: [operation: unknown, why: string][] = [
    [{ op: 'test', path: '/data/a', value: '2' }, 'testing value /data/a failed: test failed'],
    [{ op: 'test', path: '/foo/a' }, 'test operation does not apply: is missing path: /foo/a: missing value'],
    [
      { op: 'remove', path: '/data/b' },
      "error in remove for path: '/data/b': Unable to remove nonexistent key: b: missing value",
    ],
    [
      { op: 'remove', path: '/list/7' },
      "error in remove for path: '/list/7': Unable to access invalid index: 7: invalid index referenced",
    ],
    [
      { op: 'add', path: '/list/x' },
      "error in add for path: '/list/x': value was not a proper array index: 'x': strconv.Atoi: parsing \"x\": invalid syntax",
    ],
    [{ op: 'add', path: '/foo/x' }, 'add operation does not apply: doc is missing path: "/foo/x": missing value'],
    [{ op: 'add', path: '/data/a/b' }, 'add operation does not apply: doc is missing path: "/data/a/b": missing value'],
    [{ op: 'remove', path: '' }, 'remove operation does not apply: doc is missing path: "": missing value'],
    [{ op: 'replace', path: '/foo/x' }, 'replace operation does not apply: doc is missing path: /foo/x: missing value'],
    [
      { op: 'replace', path: '/list/7' },
      'replace operation does not apply: doc is missing key: /list/7: missing value',
    ],
    [
      { op: 'move', from: '/data/b', path: '/data/c' },
      "error in move for path: 'b': Unable to remove nonexistent key: b: missing value",
    ],
    [
      { op: 'copy', from: '/foo/b', path: '/data/c' },
      'copy operation does not apply: doc is missing from path: /foo/b: missing value',
    ],
    [
      { op: 'copy', from: '/data/a', path: '/foo/c' },
      'copy operation does not apply: doc is missing destination path: /foo/c: missing value',
    ],
    [
      { op: 'copy', path: '/data/c' },
      'copy operation failed to decode from: operation, missing from field: missing value',
    ],
    [{ op: 'add' }, 'add operation failed to decode path: missing value'],
    [{ op: 'frob', path: '/a' }, 'Unexpected kind: frob'],
    [null, 'Unexpected kind: unknown'],
  ]
  for (const [operation, why] of table)
    test(`${JSON.stringify(operation)}`, () => {
      assert.equal(whyNotApplied(document, operation), why)
    })
})
