/** JSON patch and merge patch, as every control plane answers them. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Patch } from '../../../src/kube/kube.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { patchScene, patchTypes, refusal, shelves } from '../../support/patch-scene.ts'

const json = (...operations: Extract<Patch, { type: 'json' }>['operations']): Patch => ({ type: 'json', operations })
const merge = (body: unknown): Patch => ({ type: 'merge', body })

const rejected = {
  code: 422,
  reason: 'Invalid',
  message: 'the server rejected our request due to an error in our request',
  causes: [],
}

describe('a JSON patch', needsControlPlane, () => {
  test('E7a: adds, replaces and removes a field', async (t) => {
    const { maps } = await patchScene(t)
    const patched = await maps.patch(
      'note',
      json(
        { op: 'add', path: '/data/c', value: '3' },
        { op: 'replace', path: '/data/a', value: 'one' },
        { op: 'remove', path: '/data/b' },
      ),
    )
    assert.deepEqual(patched.data, { a: 'one', c: '3' })
    assert.deepEqual((await maps.get('note')).data, { a: 'one', c: '3' })
  })

  test('E7a: moves and copies a field', async (t) => {
    const { maps } = await patchScene(t)
    const { data } = await maps.patch(
      'note',
      json({ op: 'move', from: '/data/a', path: '/data/c' }, { op: 'copy', from: '/data/b', path: '/data/d' }),
    )
    assert.deepEqual(data, { b: '2', c: '1', d: '2' })
  })

  test('E7a: whose test holds is done, and one whose test fails changes nothing', async (t) => {
    const { maps, note } = await patchScene(t)
    const patched = await maps.patch(
      'note',
      json({ op: 'test', path: '/data/a', value: '1' }, { op: 'add', path: '/data/c', value: '3' }),
    )
    assert.equal(patched.data?.['c'], '3')
    const failing = maps.patch(
      'note',
      json({ op: 'add', path: '/data/d', value: '4' }, { op: 'test', path: '/data/a', value: '2' }),
    )
    assert.deepEqual(await refusal(failing), rejected)
    assert.deepEqual((await maps.get('note')).data, { ...note.data, c: '3' })
  })

  test('E7a: tests a missing member as null, and replaces it as if it were there', async (t) => {
    const { maps } = await patchScene(t)
    const { data } = await maps.patch(
      'note',
      json({ op: 'test', path: '/data/c', value: null }, { op: 'replace', path: '/data/c', value: '3' }),
    )
    assert.equal(data?.['c'], '3')
  })

  test('E7a: reaches items of lists by index, from the end and behind it', async (t) => {
    const { maps } = await patchScene(t)
    const { metadata } = await maps.patch(
      'note',
      json(
        { op: 'add', path: '/metadata/ownerReferences', value: [] },
        ...['/0', '/0', '/-', '/-1'].map((at, i) => ({
          op: 'add',
          path: `/metadata/ownerReferences${at}`,
          value: { apiVersion: 'v1', kind: 'ConfigMap', name: `owner-${i}`, uid: `uid-${i}` },
        })),
        { op: 'remove', path: '/metadata/ownerReferences/1' },
      ),
      { dryRun: true },
    )
    assert.deepEqual(
      metadata.ownerReferences?.map(({ name }) => name),
      ['owner-1', 'owner-2', 'owner-3'],
    )
  })

  test('E7a: reads ~1 as a slash and ~0 as a tilde in a path', async (t) => {
    const { maps } = await patchScene(t)
    const { metadata } = await maps.patch(
      'note',
      json(
        { op: 'add', path: '/metadata/annotations', value: { 'example.com/a': '1' } },
        { op: 'move', from: '/metadata/annotations/example.com~1a', path: '/metadata/annotations/example.com~1b' },
      ),
    )
    assert.deepEqual(metadata.annotations, { 'example.com/b': '1' })
  })

  const impossible: Record<string, Extract<Patch, { type: 'json' }>['operations'][number]> = {
    'removes what is not there': { op: 'remove', path: '/data/nothing' },
    'adds below what is not there': { op: 'add', path: '/nothing/a', value: '1' },
    'replaces below what is not there': { op: 'replace', path: '/nothing/a', value: '1' },
    'adds below a text': { op: 'add', path: '/data/a/b', value: '1' },
    'moves what is not there': { op: 'move', from: '/data/nothing', path: '/data/c' },
    'tests for what is not so': { op: 'test', path: '/data', value: { a: '1' } },
    'has a path without a slash': { op: 'add', path: 'data', value: '1' },
    'has an operation of no known name': { op: 'exchange', path: '/data/a' },
    'has no path': { op: 'add', value: '1' } as never,
  }
  for (const [what, operation] of Object.entries(impossible))
    test(`E7a: that ${what} is Invalid, without a reason`, async (t) => {
      const { maps } = await patchScene(t)
      assert.deepEqual(await refusal(maps.patch('note', json(operation))), rejected)
    })

  test('E7a: that points behind the end of a list is Invalid', async (t) => {
    const { maps } = await patchScene(t)
    const list = { op: 'add', path: '/metadata/finalizers', value: [] }
    for (const operation of [
      { op: 'add', path: '/metadata/finalizers/1', value: 'example.com/x' },
      { op: 'remove', path: '/metadata/finalizers/0' },
      { op: 'replace', path: '/metadata/finalizers/-', value: 'example.com/x' },
      { op: 'add', path: '/metadata/finalizers/first', value: 'example.com/x' },
    ])
      assert.deepEqual(await refusal(maps.patch('note', json(list, operation))), rejected)
  })

  test('E7a: that is not a list of operations is a bad request', async (t) => {
    const { send } = await patchScene(t)
    const cases: [unknown, string][] = [
      [{ op: 'add' }, 'json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp'],
      ['"add"', 'json: cannot unmarshal string into Go value of type []handlers.jsonPatchOp'],
      [['add'], 'json: cannot unmarshal string into Go value of type handlers.jsonPatchOp'],
      [[{ op: 5, path: '/a' }], 'json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string'],
      ['add', "invalid character 'a' looking for beginning of value"],
      ['', 'unexpected end of JSON input'],
    ]
    for (const [body, why] of cases)
      assert.deepEqual(await refusal(send(patchTypes.json, body)), {
        code: 400,
        reason: 'BadRequest',
        message: `error decoding patch: ${why}`,
        causes: [],
      })
  })

  test('E7a: of more than 10,000 operations is too large', async (t) => {
    const { maps } = await patchScene(t)
    const operations = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/data/a', value: '1' }))
    assert.deepEqual(await refusal(maps.patch('note', json(...operations))), {
      code: 413,
      reason: 'RequestEntityTooLarge',
      message: 'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
      causes: [],
    })
    await maps.patch('note', json(...operations.slice(1)))
  })

  test('E7a: works on custom objects', async (t) => {
    const { admin, namespace } = await patchScene(t)
    const all = admin.of(await shelves(t, admin), namespace)
    await all.create({ metadata: { name: 'one' }, spec: { tags: ['a', 'b'], extra: { deep: [1] } } })
    const { spec } = await all.patch(
      'one',
      json(
        { op: 'add', path: '/spec/tags/1', value: 'new' },
        { op: 'copy', from: '/spec/extra/deep', path: '/spec/extra/copy' },
        { op: 'add', path: '/spec/extra/deep/-', value: 2 },
      ),
    )
    assert.deepEqual(spec, { tags: ['a', 'new', 'b'], extra: { deep: [1, 2], copy: [1] } })
  })
})

describe('a merge patch', needsControlPlane, () => {
  test('E7a: sets what it names, deletes what it names as null, and leaves the rest', async (t) => {
    const { maps } = await patchScene(t)
    const { data, metadata } = await maps.patch(
      'note',
      merge({ data: { a: null, c: '3' }, metadata: { labels: { more: 'yes' } } }),
    )
    assert.deepEqual(data, { b: '2', c: '3' })
    assert.deepEqual(metadata.labels, { kept: 'yes', more: 'yes' })
  })

  test('E7a: replaces lists as a whole, and drops null members of what it brings', async (t) => {
    const { admin, namespace } = await patchScene(t)
    const all = admin.of(await shelves(t, admin), namespace)
    const books = [{ name: 'x', lent: 'yes' }, { name: 'y' }]
    await all.create({ metadata: { name: 'one' }, spec: { tags: ['a', 'b'], books } })
    const { spec } = await all.patch(
      'one',
      merge({ spec: { tags: ['c'], books: [{ name: 'x' }], extra: { a: { b: null, c: [null, { d: null, e: 1 }] } } } }),
    )
    assert.deepEqual(spec, { tags: ['c'], books: [{ name: 'x' }], extra: { a: { c: [null, { e: 1 }] } } })
  })

  test('E7a: that is not an object is a bad request', async (t) => {
    const { send } = await patchScene(t)
    const cases: [string, string][] = [
      ['[]', 'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}'],
      ['"x"', 'error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}'],
      ['5', 'error decoding patch: json: cannot unmarshal number into Go value of type map[string]interface {}'],
      ['true', 'error decoding patch: json: cannot unmarshal bool into Go value of type map[string]interface {}'],
      ['null', 'Invalid JSON Patch'],
      ['x', "error decoding patch: invalid character 'x' looking for beginning of value"],
    ]
    for (const [body, message] of cases)
      assert.deepEqual(await refusal(send(patchTypes.merge, body)), {
        code: 400,
        reason: 'BadRequest',
        message,
        causes: [],
      })
  })

  test('E7a: goes through the status subresource, where it changes the status alone', async (t) => {
    const { admin, namespace } = await patchScene(t)
    const all = admin.of(await shelves(t, admin), namespace)
    await all.create({ metadata: { name: 'one' }, spec: { title: 'old' } })
    const patch = merge({ spec: { title: 'new' }, status: { full: 'yes' }, metadata: { labels: { a: 'b' } } })
    const { spec, status, metadata } = await all.patch('one', patch, { subresource: 'status' })
    assert.deepEqual([spec, status, metadata.labels], [{ title: 'old' }, { full: 'yes' }, undefined])
    const main = await all.patch('one', merge({ spec: { title: 'new' }, status: { full: 'no' } }))
    assert.deepEqual([main.spec, main.status], [{ title: 'new' }, { full: 'yes' }])
  })
})

describe('any patch', needsControlPlane, () => {
  test('E7a: of what is not there is Not Found, whatever it says', async (t) => {
    const { admin, namespace } = await patchScene(t)
    const path = `/api/v1/namespaces/${namespace}/configmaps/nothing`
    for (const [contentType, body] of [
      [patchTypes.json, '[]'],
      [patchTypes.merge, '{}'],
      [patchTypes.merge, 'nonsense'],
    ])
      assert.deepEqual(await refusal(admin.request({ method: 'PATCH', path, contentType: contentType ?? '', body })), {
        code: 404,
        reason: 'NotFound',
        message: 'configmaps "nothing" not found',
        causes: [],
      })
  })

  test('E7a: of another content type is not supported; parameters of the type do not matter', async (t) => {
    const { send } = await patchScene(t)
    for (const type of ['application/json', 'application/yaml', 'text/plain']) {
      const { code, reason } = await refusal(send(type, {}))
      assert.deepEqual([code, reason], [415, 'UnsupportedMediaType'], type)
    }
    assert.equal((await send(`${patchTypes.merge}; charset=utf-8`, { data: { c: '3' } })).data?.['c'], '3')
  })

  test('E7a: can rename an object as little as move it or give it another uid', async (t) => {
    const { maps } = await patchScene(t)
    const patches: [object, number, string][] = [
      [{ name: 'other' }, 400, 'the name of the object (other) does not match the name on the URL (note)'],
      [
        { namespace: 'other' },
        400,
        'the namespace of the provided object does not match the namespace sent on the request',
      ],
      [{ uid: 'x' }, 422, 'ConfigMap "note" is invalid: metadata.uid: Invalid value: "x": field is immutable'],
    ]
    for (const [metadata, code, message] of patches) {
      const answer = await refusal(maps.patch('note', merge({ metadata })))
      assert.deepEqual([answer.code, answer.message], [code, message])
    }
    const renamed = maps.patch('note', json({ op: 'replace', path: '/metadata/name', value: 'other' }))
    assert.equal((await refusal(renamed)).code, 400)
  })

  test('E7a: may name the version that it is meant for, and conflicts when that is not the current one', async (t) => {
    const { maps, note } = await patchScene(t)
    const { resourceVersion } = note.metadata
    const at = (version: string) => merge({ metadata: { resourceVersion: version }, data: { c: version } })
    const patched = await maps.patch('note', at(resourceVersion))
    assert.equal(patched.data?.['c'], resourceVersion)
    assert.deepEqual(await refusal(maps.patch('note', at(resourceVersion))), {
      code: 409,
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on configmaps "note": the object has been modified; please apply your changes to the latest version and try again',
      causes: [],
    })
    await maps.patch('note', at(patched.metadata.resourceVersion))
  })

  test('E7a: whose result is no such object is Invalid and shows the result', async (t) => {
    const { maps } = await patchScene(t)
    for (const patch of [merge({ data: { a: 5 } }), json({ op: 'replace', path: '/data/a', value: 5 })]) {
      const { code, reason, message, causes } = await refusal(maps.patch('note', patch))
      assert.deepEqual([code, reason, causes[0]?.field], [422, 'Invalid', 'patch'])
      assert.match(
        message,
        /^ "" is invalid: patch: Invalid value: "\{\\"apiVersion\\":\\"v1\\",\\"data\\":\{\\"a\\":5/,
      )
      assert.match(message, /: json: cannot unmarshal number into Go struct field ConfigMap.data of type string$/)
    }
  })

  test('E7a: that leaves everything as it was makes no new version', async (t) => {
    const { maps, note } = await patchScene(t)
    const same = [merge({}), merge({ data: { a: '1' } }), json(), json({ op: 'replace', path: '/data/a', value: '1' })]
    for (const patch of same) assert.deepEqual(await maps.patch('note', patch, { fieldManager: 'other' }), note)
  })

  test('E7a: as a dry run is answered with its result and not kept', async (t) => {
    const { maps, note } = await patchScene(t)
    const { data } = await maps.patch('note', merge({ data: { a: 'new' } }), { dryRun: true })
    assert.equal(data?.['a'], 'new')
    assert.deepEqual(await maps.get('note'), note)
  })

  test('E7a: is answered with the metadata alone when the client asks for that', async (t) => {
    const { admin, path, note } = await patchScene(t)
    const answer = await admin.request<Record<string, unknown>>({
      method: 'PATCH',
      path,
      contentType: patchTypes.merge,
      body: { data: { c: '3' } },
      accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
    })
    const { kind, apiVersion, metadata, ...rest } = answer
    assert.deepEqual([kind, apiVersion, rest], ['PartialObjectMetadata', 'meta.k8s.io/v1', {}])
    assert.equal((metadata as { uid: string }).uid, note.metadata.uid)
  })

  test('E7a: but an apply may not be forced', async (t) => {
    const { send } = await patchScene(t)
    for (const [type, body] of [
      [patchTypes.json, []],
      [patchTypes.merge, {}],
    ] as const)
      assert.deepEqual(await refusal(send(type, body, { force: 'true' })), {
        code: 422,
        reason: 'Invalid',
        message: 'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
        causes: [
          {
            reason: 'FieldValueForbidden',
            message: 'Forbidden: may not be specified for non-apply patch',
            field: 'force',
          },
        ],
      })
  })

  test('E7a: needs a field manager of at most 128 bytes that can be printed, if it names one', async (t) => {
    const { send } = await patchScene(t)
    const refused = async (fieldManager: string) =>
      (await refusal(send(patchTypes.merge, {}, { fieldManager }))).message
    const invalid = 'PatchOptions.meta.k8s.io "" is invalid: '
    assert.equal(await refused('x'.repeat(129)), `${invalid}fieldManager: Too long: may not be more than 128 bytes`)
    assert.equal(
      await refused('a\x07b'),
      `${invalid}fieldManager: Invalid value: "a\\ab": invalid character U+0007 (at position 1)`,
    )
    await send(patchTypes.merge, {}, { fieldManager: 'x'.repeat(128) })
  })
})
