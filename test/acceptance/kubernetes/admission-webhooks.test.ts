/** What webhooks may do to a write: change it, refuse it, warn about it. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { configMaps } from '../../../src/kube/kinds.ts'
import {
  aConfigMapOf,
  adds,
  admissionScene,
  denies,
  forCase,
  refusalOf,
  webhookName,
} from '../../support/admission-hook.ts'
import { aConfigMap, uniqueName } from '../../support/builders.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { rawCall } from '../../support/raw-call.ts'

describe('admission webhooks', needsControlPlane, () => {
  test('E17: mutating webhooks change an object, then validating ones judge what has become of it', async (t) => {
    const { admin, namespace, calls, register } = await admissionScene(t)
    await register('validating', [{ name: 'judge' }])
    await register('mutating', [{ name: 'add', decide: () => adds('b') }])
    const created = await admin.of(configMaps, namespace).create(aConfigMap('x', { a: '1' }))
    assert.deepEqual(created.data, { a: '1', b: 'added' })
    assert.deepEqual((await admin.of(configMaps, namespace).get('x')).data, { a: '1', b: 'added' })
    assert.deepEqual(
      calls.map(({ hook, request }) => [hook, request.object?.data]),
      [
        ['add', { a: '1' }],
        ['judge', { a: '1', b: 'added' }],
      ],
    )
  })

  test('E17: mutating webhooks are called one after another, by the names of their configurations', async (t) => {
    const { admin, namespace, calls, register } = await admissionScene(t)
    const [first, second] = [uniqueName('admission-a'), uniqueName('admission-b')]
    await register('mutating', [{ name: 'third', decide: () => adds('d') }], second)
    const two = [
      { name: 'second', decide: () => adds('b') },
      { name: 'first', decide: () => adds('c') },
    ]
    await register('mutating', two, first)
    await admin.of(configMaps, namespace).create(aConfigMap('x', { a: '1' }))
    assert.deepEqual(
      calls.map(({ hook, request }) => [hook, Object.keys(request.object?.data ?? {})]),
      [
        ['second', ['a']],
        ['first', ['a', 'b']],
        ['third', ['a', 'b', 'c']],
      ],
    )
  })

  test('E17: what a webhook makes of an object must be valid, and unknown fields in it are dropped', async (t) => {
    const { admin, namespace, register } = await admissionScene(t)
    const at = (path: string, value: unknown) => () => ({ patch: [{ op: 'add', path, value }] })
    await register('mutating', [
      { name: 'invalid', ...forCase('invalid'), decide: at('/metadata/labels', { 'a b': 'c' }) },
      { name: 'unknown', ...forCase('unknown'), decide: at('/whatever', 1) },
      { name: 'type', ...forCase('type'), decide: at('/data', 7) },
      { name: 'kind', ...forCase('kind'), decide: at('/kind', 'Nonsense') },
    ])
    const maps = admin.of(configMaps, namespace)
    const { code, reason, message } = await refusalOf(maps.create(aConfigMapOf('invalid')))
    assert.deepEqual([code, reason], [422, 'Invalid'])
    assert.match(message, /^ConfigMap "invalid" is invalid: metadata.labels: Invalid value: "a b": name part must/)
    assert.ok(!('whatever' in (await maps.create(aConfigMapOf('unknown')))))
    assert.deepEqual(await refusalOf(maps.create(aConfigMapOf('type'))), {
      code: 500,
      reason: 'InternalError',
      message:
        'Internal error occurred: json: cannot unmarshal number into Go struct field ConfigMap.data of type map[string]string',
    })
    assert.deepEqual(await refusalOf(maps.create(aConfigMapOf('kind'))), {
      code: 500,
      reason: 'InternalError',
      message:
        'Internal error occurred: no kind "Nonsense" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
    })
  })

  test('E17: a patch that does not fit fails the write', async (t) => {
    const { admin, namespace, register } = await admissionScene(t)
    const patching = (name: string, op: string, path: string, value?: unknown) => ({
      name,
      ...forCase(name),
      decide: () => ({ patch: [{ op, path, value }] }),
    })
    await register('mutating', [
      patching('test', 'test', '/data/a', '2'),
      patching('remove', 'remove', '/data/b'),
      { ...patching('ignored', 'remove', '/data/b'), failurePolicy: 'Ignore' },
    ])
    const maps = admin.of(configMaps, namespace)
    const told = async (name: string) => await refusalOf(maps.create(aConfigMapOf(name, { a: '1' })))
    assert.deepEqual(await told('test'), {
      code: 500,
      reason: 'InternalError',
      message: 'Internal error occurred: testing value /data/a failed: test failed',
    })
    for (const name of ['remove', 'ignored'])
      assert.deepEqual(await told(name), {
        code: 500,
        reason: 'InternalError',
        message:
          "Internal error occurred: error in remove for path: '/data/b': Unable to remove nonexistent key: b: missing value",
      })
  })

  test('E17: a webhook may rename what is created, and change nothing that the server owns', async (t) => {
    const { admin, namespace, register } = await admissionScene(t)
    const replaces = (path: string, value: string) => () => ({ patch: [{ op: 'add', path, value }] })
    await register('mutating', [
      { name: 'name', ...forCase('name'), decide: replaces('/metadata/name', 'other') },
      { name: 'namespace', ...forCase('namespace'), decide: replaces('/metadata/namespace', 'default') },
      { name: 'uid', ...forCase('uid'), decide: replaces('/metadata/uid', 'mine') },
    ])
    const maps = admin.of(configMaps, namespace)
    assert.equal((await maps.create(aConfigMapOf('name'))).metadata.name, 'other')
    assert.ok(await maps.find('other'))
    assert.deepEqual(await refusalOf(maps.create(aConfigMapOf('namespace'))), {
      code: 400,
      reason: 'BadRequest',
      message: 'the namespace of the provided object does not match the namespace sent on the request',
    })
    const created = await maps.create(aConfigMapOf('uid'))
    assert.notEqual(created.metadata.uid, 'mine')
    assert.deepEqual(await refusalOf(maps.patch('uid', { type: 'merge', body: { data: { a: '1' } } })), {
      code: 422,
      reason: 'Invalid',
      message: 'ConfigMap "uid" is invalid: metadata.uid: Invalid value: "mine": field is immutable',
    })
  })

  for (const type of ['mutating', 'validating'] as const)
    test(`E17: a ${type} webhook refuses with its own words, code and reason`, async (t) => {
      const { admin, namespace, register } = await admissionScene(t)
      const details = { causes: [{ field: 'data', message: 'too much', reason: 'FieldValueInvalid' }] }
      const refusing = (name: string, status?: Record<string, unknown>) => ({
        name,
        ...forCase(name),
        decide: () => ({ allowed: false, ...(status && { status }) }),
      })
      await register(type, [
        refusing('silent'),
        refusing('words', { message: 'no way' }),
        refusing('reason', { reason: 'BadThing' }),
        refusing('code', { code: 418 }),
        refusing('success', { code: 200, status: 'Success', message: 'fine' }),
        refusing('full', { code: 422, reason: 'Invalid', message: 'bad data', details }),
      ])
      const maps = admin.of(configMaps, namespace)
      const denied = (name: string, why: string) => `admission webhook "${webhookName(name)}" denied the request${why}`
      const expected: Record<string, [code: number, reason: string, why: string]> = {
        silent: [400, 'Unknown', ' without explanation'],
        words: [400, 'Unknown', ': no way'],
        reason: [400, 'BadThing', ': BadThing'],
        code: [418, 'Unknown', ' without explanation'],
        success: [400, 'Unknown', ': fine'],
        full: [422, 'Invalid', ': bad data'],
      }
      for (const [name, [code, reason, why]] of Object.entries(expected))
        assert.deepEqual(await refusalOf(maps.create(aConfigMapOf(name))), { code, reason, message: denied(name, why) })
      const told = await maps.create(aConfigMapOf('full')).catch((error) => error.details)
      assert.deepEqual(told, details)
      assert.equal(await maps.find('full'), undefined)
    })

  test('E17: a refusal of a mutating webhook ends the round; validating ones are asked all', async (t) => {
    const { admin, namespace, calls, register } = await admissionScene(t)
    const both = (name: string) => [
      { name: `${name}-one`, ...forCase(name), decide: () => denies('one') },
      { name: `${name}-two`, ...forCase(name), decide: () => denies('two') },
    ]
    await register('mutating', both('mutating'))
    await register('validating', both('validating'))
    const maps = admin.of(configMaps, namespace)
    const { message } = await refusalOf(maps.create(aConfigMapOf('mutating')))
    assert.match(message, /denied the request: one$/)
    assert.deepEqual(
      calls.splice(0).map(({ hook }) => hook),
      ['mutating-one'],
    )
    assert.match((await refusalOf(maps.create(aConfigMapOf('validating')))).message, /denied the request: (one|two)$/)
    assert.deepEqual(calls.map(({ hook }) => hook).sort(), ['validating-one', 'validating-two'])
  })

  test('E17: warnings of webhooks reach the client, each once, also with a refusal', async (t) => {
    const { plane, namespace, register } = await admissionScene(t)
    await register('mutating', [{ name: 'first', decide: () => ({ warnings: ['be careful', 'a "quoted" one'] }) }])
    await register('validating', [
      {
        name: 'second',
        decide: ({ name }) => ({ warnings: ['be careful', 'once more'], allowed: name !== 'refused' }),
      },
    ])
    const create = (name: string) =>
      rawCall(plane, { method: 'POST', path: `/api/v1/namespaces/${namespace}/configmaps`, body: aConfigMap(name) })
    for (const [name, code] of [
      ['welcome', 201],
      ['refused', 400],
    ] as const) {
      const told = await create(name)
      assert.deepEqual([told.code, told.warnings], [code, ['be careful', 'a "quoted" one', 'once more']])
    }
  })

  test('E17: a webhook that may be called again is, once, when a later one changed the object', async (t) => {
    const { admin, namespace, calls, register } = await admissionScene(t)
    const counts = (name: string, group: string, reinvocationPolicy: string) => ({
      name,
      ...forCase(group),
      reinvocationPolicy,
      decide: ({ object }: { object: { data?: Record<string, string> } | null }) =>
        adds(name, `${Number(object?.data?.[name] ?? 0) + 1}`),
    })
    await register('mutating', [
      counts('a', 'three', 'IfNeeded'),
      counts('b', 'three', 'IfNeeded'),
      counts('c', 'three', 'IfNeeded'),
      counts('d', 'never', 'IfNeeded'),
      counts('e', 'never', 'Never'),
      { name: 'looks', ...forCase('never'), reinvocationPolicy: 'IfNeeded' },
      counts('f', 'alone', 'IfNeeded'),
      { name: 'looks-too', ...forCase('alone'), reinvocationPolicy: 'IfNeeded' },
    ])
    const maps = admin.of(configMaps, namespace)
    const outcome = async (name: string) => {
      const { data } = await maps.create(aConfigMapOf(name, { x: '' }))
      return [data, calls.splice(0).map(({ hook }) => hook)]
    }
    assert.deepEqual(await outcome('three'), [{ x: '', a: '2', b: '2', c: '2' }, ['a', 'b', 'c', 'a', 'b', 'c']])
    assert.deepEqual(await outcome('never'), [{ x: '', d: '2', e: '1' }, ['d', 'e', 'looks', 'd', 'looks']])
    assert.deepEqual(await outcome('alone'), [{ x: '', f: '1' }, ['f', 'looks-too']])
  })

  test('E17: a dry run asks webhooks and tells them; one that cannot do without side effects is no webhook', async (t) => {
    const { admin, namespace, calls, register } = await admissionScene(t)
    await register('mutating', [{ name: 'none' }, { name: 'on-dry-run', sideEffects: 'NoneOnDryRun' }])
    await admin.of(configMaps, namespace).create(aConfigMap('x'), { dryRun: true })
    assert.deepEqual(
      calls.map(({ hook, request }) => [hook, request.dryRun, request.options]),
      ['none', 'on-dry-run'].map((hook) => [
        hook,
        true,
        { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', dryRun: ['All'] },
      ]),
    )
    const { code, message } = await refusalOf(register('validating', [{ name: 'some', sideEffects: 'Some' }]))
    assert.equal(code, 422)
    assert.match(message, /sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"$/)
  })

  test('E17: a delete asks both, and neither may change what is deleted', async (t) => {
    const { admin, namespace, calls, register } = await admissionScene(t)
    const onDelete = [{ operations: ['DELETE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }]
    await register('mutating', [
      { name: 'mutating', rules: onDelete },
      { name: 'patching', rules: onDelete, ...forCase('patched'), decide: () => adds('a') },
    ])
    await register('validating', [
      { name: 'validating', rules: onDelete },
      { name: 'refusing', rules: onDelete, ...forCase('kept'), decide: () => denies('keep it') },
    ])
    const maps = admin.of(configMaps, namespace)
    for (const name of ['plain', 'patched', 'kept']) await maps.create(aConfigMapOf(name))
    assert.deepEqual(calls, [])
    await maps.delete('plain')
    assert.deepEqual(
      calls.map(({ hook }) => hook),
      ['mutating', 'validating'],
    )
    assert.deepEqual(await refusalOf(maps.delete('patched')), {
      code: 500,
      reason: 'InternalError',
      message: `Internal error occurred: admission webhook "${webhookName('patching')}" attempted to modify the object, which is not supported for this operation`,
    })
    assert.match((await refusalOf(maps.delete('kept'))).message, /denied the request: keep it$/)
    assert.ok(await maps.find('kept'))
  })
})
