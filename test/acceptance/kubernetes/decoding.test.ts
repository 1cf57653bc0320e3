/** What becomes of the bodies that clients send: how they may be written, and what is held against them. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import { uniqueName } from '../../support/builders.ts'
import type { ControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { freshNamespace } from '../../support/fresh-namespace.ts'
import { kubeClient } from '../../support/kube-client.ts'
import type { RawAnswer, RawCall } from '../../support/raw-call.ts'
import { rawCall } from '../../support/raw-call.ts'
import { teardown } from '../../support/test-scope.ts'

const merge = 'application/merge-patch+json'
const apply = 'application/apply-patch+yaml'
const yaml = 'application/yaml'

async function start(t: TestContext) {
  const plane = await startControlPlane(t)
  const namespace = await freshNamespace(t, kubeClient(t, plane.connection()))
  const call = (options: RawCall) => rawCall(plane, options)
  const path = `/api/v1/namespaces/${namespace}/configmaps`
  const create = (body: unknown, query: Record<string, string> = {}, contentType?: string | null) =>
    call({ method: 'POST', path, query, body, ...(contentType !== undefined && { contentType }) })
  const existing = async (name = 'existing') => {
    assert.equal((await create({ metadata: { name }, data: { a: 'b' } })).code, 201)
    return `${path}/${name}`
  }
  return { plane, namespace, call, path, create, existing }
}

const refusal = ({ code, body }: RawAnswer) => [code, body.reason, body.message]
const cannotBe = (kind: string, why: string) => [
  400,
  'BadRequest',
  `${kind} in version "v1" cannot be handled as a ${kind}: ${why}`,
]

/** JSON with everything in it that strict validation holds against an object. */
const flawed = (name: string) => `{"metadata":{"name":"${name}"},"data":{"a":"1","a":"2"},"foo":{"x":1,"x":2},"bar":3}`
const flaws = ['duplicate field "data.a"', 'unknown field "foo"', 'unknown field "bar"']

describe('fieldValidation', needsControlPlane, () => {
  test('E10: Strict refuses a new object with unknown and repeated fields, and names each', async (t) => {
    const { create } = await start(t)
    const refused = await create(flawed('a'), { fieldValidation: 'Strict' })
    assert.deepEqual(refusal(refused), cannotBe('ConfigMap', `strict decoding error: ${flaws.join(', ')}`))
  })

  test('E10: Warn takes it without those fields and warns of each; the last of repeated ones counts', async (t) => {
    const { create } = await start(t)
    const { code, body, warnings } = await create(flawed('a'), { fieldValidation: 'Warn' })
    assert.deepEqual([code, body.data, body.foo, body.bar], [201, { a: '2' }, undefined, undefined])
    assert.deepEqual(warnings, flaws)
  })

  test('E10: nothing said means Warn', async (t) => {
    const { create } = await start(t)
    assert.deepEqual((await create(flawed('a'))).warnings, flaws)
    assert.deepEqual((await create(flawed('b'), { fieldValidation: '' })).warnings, flaws)
  })

  test('E10: Ignore takes it without a word', async (t) => {
    const { create } = await start(t)
    const { code, body, warnings } = await create(flawed('a'), { fieldValidation: 'Ignore' })
    assert.deepEqual([code, body.data, body.foo, warnings], [201, { a: '2' }, undefined, []])
  })

  test('E10: unknown fields deep inside are named by their path, and field names are case sensitive', async (t) => {
    const { namespace, call } = await start(t)
    const { warnings } = await call({
      method: 'POST',
      path: `/apis/apps/v1/namespaces/${namespace}/deployments`,
      query: { dryRun: 'All' },
      body: {
        metadata: { name: 'a', Labels: {} },
        spec: {
          selector: { matchLabels: { a: 'b' } },
          template: {
            metadata: { labels: { a: 'b' } },
            spec: { containers: [{ name: 'c', image: 'i', env: [{ name: 'e', 'b"c': 1 }] }] },
          },
        },
      },
    })
    assert.deepEqual(warnings, [
      'unknown field "metadata.Labels"',
      'unknown field "spec.template.spec.containers[0].env[0].b\\"c"',
    ])
  })

  test('E10: an update is treated as a create is', async (t) => {
    const { existing, call } = await start(t)
    const path = await existing()
    const put = (fieldValidation: string) =>
      call({ method: 'PUT', path, query: { fieldValidation }, body: flawed('existing') })
    const refused = await put('Strict')
    assert.deepEqual(refusal(refused), cannotBe('ConfigMap', `strict decoding error: ${flaws.join(', ')}`))
    assert.deepEqual([(await put('Warn')).warnings, (await put('Ignore')).warnings], [flaws, []])
  })

  test('E10: a merge patch is held to what it makes of the object', async (t) => {
    const { existing, call } = await start(t)
    const path = await existing()
    const patch = (fieldValidation: string) =>
      call({
        method: 'PATCH',
        path,
        query: { fieldValidation },
        contentType: merge,
        body: '{"data":{"a":"1","a":"2"},"foo":1}',
      })
    const refused = await patch('Strict')
    assert.deepEqual([refused.code, refused.body.reason], [422, 'Invalid'])
    assert.match(refused.body.message, /^ "" is invalid: patch: Invalid value: "\{.*\\"foo\\":1.*\}": strict decoding/s)
    assert.ok(
      refused.body.message.endsWith('": strict decoding error: duplicate field "data.a", unknown field "foo"'),
      refused.body.message,
    )
    assert.equal(refused.body.details.causes[0].field, 'patch')
    const warned = await patch('Warn')
    assert.deepEqual(warned.warnings, ['duplicate field "data.a"', 'unknown field "foo"'])
    assert.deepEqual([warned.code, warned.body.data, warned.body.foo], [200, { a: '2' }, undefined])
    assert.deepEqual((await patch('Ignore')).warnings, [])
  })

  test('E10: a JSON patch is held to what it makes of the object', async (t) => {
    const { existing, call } = await start(t)
    const { code, body, warnings } = await call({
      method: 'PATCH',
      path: await existing(),
      contentType: 'application/json-patch+json',
      body: [
        { op: 'add', path: '/foo', value: 1 },
        { op: 'add', path: '/data/c', value: 'd' },
      ],
    })
    assert.deepEqual([code, body.data, body.foo], [200, { a: 'b', c: 'd' }, undefined])
    assert.deepEqual(warnings, ['unknown field "foo"'])
  })

  test('E10: an apply refuses repeated fields with Strict and warns of them by their line otherwise', async (t) => {
    const { path, call } = await start(t)
    const send = (fieldValidation: string) =>
      call({
        method: 'PATCH',
        path: `${path}/applied`,
        query: { fieldManager: 'tests', fieldValidation },
        contentType: apply,
        body: 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: applied\ndata:\n  c: "1"\n  c: "2"\n',
      })
    assert.deepEqual(refusal(await send('Strict')), [
      400,
      'BadRequest',
      'error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line 7: key "c" already set in map',
    ])
    const warned = await send('Warn')
    assert.deepEqual([warned.code, warned.body.data], [201, { c: '2' }])
    assert.deepEqual(warned.warnings, ['line 7: key "c" already set in map'])
    assert.deepEqual((await send('Ignore')).warnings, [])
  })

  test('E10: an apply never takes unknown fields', async (t) => {
    const { path, call } = await start(t)
    for (const fieldValidation of ['Strict', 'Warn', 'Ignore']) {
      const { code, body } = await call({
        method: 'PATCH',
        path: `${path}/applied`,
        query: { fieldManager: 'tests', fieldValidation },
        contentType: apply,
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'applied' }, foo: 1 },
      })
      assert.equal(code, 500)
      assert.match(body.message, /^failed to create typed patch object \(.*\/applied; \/v1, Kind=ConfigMap\): \.foo: /)
    }
  })

  test('E10: any other value is refused, by the kind of options it stands in', async (t) => {
    const { create, existing, call } = await start(t)
    const query = { fieldValidation: 'strict' }
    const told = (options: string) => [
      422,
      'Invalid',
      `${options}.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "strict": supported values: "", "Ignore", "Strict", "Warn"`,
    ]
    assert.deepEqual(refusal(await create({ metadata: { name: 'a' } }, query)), told('CreateOptions'))
    const path = await existing()
    const put = await call({ method: 'PUT', path, query, body: { metadata: { name: 'existing' } } })
    assert.deepEqual(refusal(put), told('UpdateOptions'))
    const patched = await call({ method: 'PATCH', path, query, contentType: merge, body: {} })
    assert.deepEqual(refusal(patched), told('PatchOptions'))
  })
})

describe('fieldValidation of custom resources', needsControlPlane, () => {
  test('E10: Strict refuses unknown and repeated fields, Warn warns of them, Ignore drops them', async (t) => {
    const { plane, namespace, call } = await start(t)
    const { group, plural, kind } = await aCustomKind(t, plane)
    const path = `/apis/${group}/v1/namespaces/${namespace}/${plural}`
    const send = (name: string, fieldValidation: string) =>
      call({
        method: 'POST',
        path,
        query: { fieldValidation },
        body:
          `{"apiVersion":"${group}/v1","kind":"${kind}","metadata":{"name":"${name}","zip":1},"foo":{"x":1,"x":2},` +
          '"spec":{"size":1,"size":2,"zap":1,"items":[{"a":"1","b":1}],"any":{"y":1}}}',
      })
    const found = [
      'duplicate field "foo.x"',
      'duplicate field "spec.size"',
      'unknown field "metadata.zip"',
      'unknown field "foo"',
      'unknown field "spec.items[0].b"',
      'unknown field "spec.zap"',
    ]
    const refused = await send('a', 'Strict')
    assert.deepEqual(refusal(refused), cannotBe(kind, `strict decoding error: ${found.join(', ')}`))
    const kept = { size: 2, items: [{ a: '1' }], any: { y: 1 } }
    const warned = await send('a', 'Warn')
    assert.deepEqual([warned.code, warned.body.spec, warned.body.foo], [201, kept, undefined])
    assert.deepEqual(warned.warnings, found)
    const ignored = await send('b', 'Ignore')
    assert.deepEqual([ignored.code, ignored.body.spec, ignored.warnings], [201, kept, []])
  })

  test('E10: updates and merge patches are held to it, too, and an apply never takes unknown fields', async (t) => {
    const { plane, namespace, call } = await start(t)
    const { group, plural, kind } = await aCustomKind(t, plane)
    const all = `/apis/${group}/v1/namespaces/${namespace}/${plural}`
    const path = `${all}/a`
    const identity = { apiVersion: `${group}/v1`, kind, metadata: { name: 'a' } }
    const created = await call({ method: 'POST', path: all, body: identity })
    assert.equal(created.code, 201)
    const query = { fieldValidation: 'Strict' }
    const metadata = { name: 'a', resourceVersion: created.body.metadata.resourceVersion }
    const put = await call({ method: 'PUT', path, query, body: { ...identity, metadata, spec: { zap: 1 } } })
    assert.deepEqual(refusal(put), cannotBe(kind, 'strict decoding error: unknown field "spec.zap"'))
    const patch = { method: 'PATCH', path, contentType: merge, body: { spec: { zap: 1 } } }
    const patched = await call({ ...patch, query })
    assert.equal(patched.code, 422)
    assert.match(patched.body.message, /": strict decoding error: unknown field "spec\.zap"$/)
    assert.deepEqual((await call(patch)).warnings, ['unknown field "spec.zap"'])
    const body = { ...identity, spec: { zap: 1 } }
    const applied = await call({ method: 'PATCH', path, query: { fieldManager: 'tests' }, contentType: apply, body })
    assert.equal(applied.code, 500)
    assert.match(applied.body.message, /: \.spec\.zap: field not declared in schema$/)
  })
})

describe('the body of a request', needsControlPlane, () => {
  test('E10: may be YAML, whose repeated keys are named by their line', async (t) => {
    const { create } = await start(t)
    const { code, body, warnings } = await create(
      'metadata:\n  name: a\ndata:\n  when: 2001-01-01\n  long: |\n    two\n    lines\n  one: "1"\n  one: "2"\nfoo: 1\n',
      {},
      yaml,
    )
    assert.deepEqual([code, body.data], [201, { when: '2001-01-01', long: 'two\nlines\n', one: '2' }])
    assert.deepEqual(warnings, ['line 9: key "one" already set in map', 'unknown field "foo"'])
    const refused = await create('metadata:\n  name: b\n  name: c\n', { fieldValidation: 'Strict' }, yaml)
    const why = 'strict decoding error: yaml: unmarshal errors:\n  line 3: key "name" already set in map'
    assert.deepEqual(refusal(refused), cannotBe('ConfigMap', why))
  })

  test('E10: is YAML 1.1: a bare yes is no text', async (t) => {
    const { create } = await start(t)
    const refused = await create('metadata: {name: a}\ndata: {a: yes}\n', {}, yaml)
    const why = 'json: cannot unmarshal bool into Go struct field ConfigMap.data of type string'
    assert.deepEqual(refusal(refused), cannotBe('ConfigMap', why))
  })

  test('E10: is JSON where no type is said, and whatever parameters and case it is said with', async (t) => {
    const { create } = await start(t)
    for (const [index, type] of [null, 'application/json; charset=utf-8', 'Application/JSON'].entries())
      assert.equal((await create({ metadata: { name: `a${index}` } }, {}, type)).code, 201, `${type}`)
  })

  test('E10: of a type that nobody knows is refused with 415, and told what would do', async (t) => {
    const { create } = await start(t)
    for (const type of ['text/plain', 'application/x-yaml', 'application/json, application/yaml', ';;']) {
      const refused = await create({ metadata: { name: 'a' } }, {}, type)
      assert.deepEqual([refused.code, refused.body.reason], [415, 'UnsupportedMediaType'], type)
      const told =
        'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml'
      assert.ok(refused.body.message.startsWith(told), refused.body.message)
    }
  })

  test('E10: of a patch has to say which patch it is', async (t) => {
    const { existing, call } = await start(t)
    const path = await existing()
    for (const contentType of ['application/json', null])
      assert.deepEqual(refusal(await call({ method: 'PATCH', path, contentType, body: {} })), [
        415,
        'UnsupportedMediaType',
        '415: Unsupported Media Type',
      ])
  })

  for (const [what, body, why, shown] of [
    ['ends too early', '{"metadata":{"name":"a"}', 'unexpected end of JSON input', '{"metadata":{"name":"a"}'],
    ['is empty', '', 'unexpected end of JSON input', '<empty>'],
    [
      'has a comma too many',
      '{"a":1,}',
      "invalid character '}' looking for beginning of object key string",
      '{"a":1,}',
    ],
    ['has single quotes', "{'a':1}", "invalid character '\\'' looking for beginning of object key string", "{'a':1}"],
    ['goes on behind its end', '{} x', "invalid character 'x' after top-level value", '{} x'],
    ['misspells a word', '{"a":tru}', "invalid character '}' in literal true (expecting 'e')", '{"a":tru}'],
    ['has a line break in a string', '{"a":"\n"}', "invalid character '\\n' in string literal", '{"a":"\n"}'],
    ['is no JSON at all', 'hello', "invalid character 'h' looking for beginning of value", '68656c6c6f'],
    [
      'is long, of which the beginning is shown',
      '{"metadata":{"name":"a-rather-long-name"}',
      'unexpected end of JSON input',
      '{"metadata":{"name":"a-rather- ...',
    ],
    [
      'has a number for its kind',
      '{"kind":1}',
      'json: cannot unmarshal number into Go struct field .kind of type string',
      '{"kind":1}',
    ],
  ] as const)
    test(`E10: that ${what} is refused in the parser's words`, async (t) => {
      const { create } = await start(t)
      assert.deepEqual(refusal(await create(body)), [
        400,
        'BadRequest',
        `the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: ${why} (${shown})`,
      ])
    })

  test('E10: that is nested without end is refused', async (t) => {
    const { create } = await start(t)
    const { code, body } = await create(`{"metadata":{"name":"a"},"foo":${'['.repeat(20_000)}${']'.repeat(20_000)}}`)
    assert.equal(code, 400)
    assert.match(body.message, /json parse error: invalid character '\[' exceeded max depth/)
  })

  test('E10: of a patch that is not JSON is refused in the words for patches', async (t) => {
    const { existing, call } = await start(t)
    const path = await existing()
    const patch = async (contentType: string, body: string) =>
      refusal(await call({ method: 'PATCH', path, contentType, body }))
    assert.deepEqual(await patch(merge, '{"data":'), [
      400,
      'BadRequest',
      'error decoding patch: unexpected end of JSON input',
    ])
    assert.deepEqual(await patch(merge, '[]'), [
      400,
      'BadRequest',
      'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}',
    ])
    assert.deepEqual(await patch('application/json-patch+json', '{}'), [
      400,
      'BadRequest',
      'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
    ])
  })
})

describe('values of the wrong type', needsControlPlane, () => {
  const inMetadata = (field: string, value: string) => `{"metadata":{"name":"a","${field}":${value}}}`
  for (const [kind, body, why] of [
    [
      'ConfigMap',
      '{"data":{"a":1}}',
      'json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
    ],
    [
      'ConfigMap',
      '{"data":"x"}',
      'json: cannot unmarshal string into Go struct field ConfigMap.data of type map[string]string',
    ],
    [
      'ConfigMap',
      '{"metadata":[]}',
      'json: cannot unmarshal array into Go struct field ConfigMap.metadata of type v1.ObjectMeta',
    ],
    [
      'ConfigMap',
      inMetadata('labels', '{"a":true}'),
      'json: cannot unmarshal bool into Go struct field ObjectMeta.metadata.labels of type string',
    ],
    [
      'ConfigMap',
      inMetadata('ownerReferences', '[{"controller":"yes"}]'),
      'json: cannot unmarshal string into Go struct field OwnerReference.metadata.ownerReferences.controller of type bool',
    ],
    [
      'ConfigMap',
      inMetadata('generation', '1.5'),
      'json: cannot unmarshal number 1.5 into Go struct field ObjectMeta.metadata.generation of type int64',
    ],
    [
      'ConfigMap',
      inMetadata('creationTimestamp', '"yesterday"'),
      'parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"',
    ],
    [
      'ConfigMap',
      inMetadata('creationTimestamp', '"2020-02-30T00:00:00Z"'),
      'parsing time "2020-02-30T00:00:00Z": day out of range',
    ],
    ['Secret', '{"data":{"a":"%%%"}}', 'illegal base64 data at input byte 0'],
    [
      'Deployment',
      '{"spec":{"replicas":"1"}}',
      'json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      'Deployment',
      '{"spec":{"replicas":2147483648}}',
      'json: cannot unmarshal number 2147483648 into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      'Deployment',
      '{"spec":{"template":{"spec":{"containers":{}}}}}',
      'json: cannot unmarshal object into Go struct field PodSpec.spec.template.spec.containers of type []v1.Container',
    ],
    [
      'Deployment',
      '{"spec":{"template":{"spec":{"containers":[{"resources":{"limits":{"cpu":"much"}}}]}}}}',
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    [
      'Deployment',
      '{"spec":{"strategy":{"rollingUpdate":{"maxSurge":true}}}}',
      'json: cannot unmarshal bool into Go struct field RollingUpdateDeployment.spec.strategy.rollingUpdate.maxSurge of type int32',
    ],
  ] as const)
    test(`E10: ${body} is no ${kind}`, async (t) => {
      const { namespace, call } = await start(t)
      const group = kind === 'Deployment' ? '/apis/apps/v1' : '/api/v1'
      const path = `${group}/namespaces/${namespace}/${kind.toLowerCase()}s`
      assert.deepEqual(refusal(await call({ method: 'POST', path, body })), cannotBe(kind, why))
    })

  test('E10: a merge patch that would make one is refused, and shows what it would have made', async (t) => {
    const { existing, call } = await start(t)
    const body = { data: { a: 1 } }
    const refused = await call({ method: 'PATCH', path: await existing(), contentType: merge, body })
    assert.deepEqual([refused.code, refused.body.reason], [422, 'Invalid'])
    assert.match(
      refused.body.message,
      /^ "" is invalid: patch: Invalid value: "\{.*\}": json: cannot unmarshal number into Go struct field ConfigMap\.data of type string$/,
    )
  })

  test('E10: null is the same as absent, and in a map of texts the empty text', async (t) => {
    const { create } = await start(t)
    const { body } = await create(
      '{"metadata":{"name":"a","labels":null,"creationTimestamp":null},"data":{"x":null},"binaryData":null,"immutable":null}',
    )
    assert.deepEqual(
      [body.data, body.metadata.labels, 'binaryData' in body, 'immutable' in body],
      [{ x: '' }, undefined, false, false],
    )
  })

  test('E10: what is empty is not kept', async (t) => {
    const { create } = await start(t)
    const metadata = { name: 'a', namespace: '', labels: {}, annotations: {}, finalizers: [], ownerReferences: [] }
    const { body } = await create({ metadata, data: {}, binaryData: {} })
    for (const field of ['labels', 'annotations', 'finalizers', 'ownerReferences'])
      assert.ok(!(field in body.metadata), field)
    assert.ok(!('data' in body) && !('binaryData' in body))
  })

  test('E10: times, base64 and quantities are written back one way', async (t) => {
    const { namespace, call } = await start(t)
    const create = (path: string, body: object) => call({ method: 'POST', path, query: { dryRun: 'All' }, body })
    const lease = await create(`/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`, {
      metadata: { name: 'a' },
      spec: { renewTime: '2020-01-01T00:00:00.123456+01:00' },
    })
    assert.equal(lease.body.spec.renewTime, '2019-12-31T23:00:00.123456Z')
    const secret = await create(`/api/v1/namespaces/${namespace}/secrets`, {
      metadata: { name: 'a' },
      data: { a: 'Y\nR=\n=' },
    })
    assert.deepEqual(secret.body.data, { a: 'YQ==' })
    const limits = { cpu: 1.5, memory: '1024Mi', 'example.com/a': '1000k' }
    const deployment = await create(`/apis/apps/v1/namespaces/${namespace}/deployments`, {
      metadata: { name: 'a' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { containers: [{ name: 'a', image: 'b', resources: { limits } }] },
        },
      },
    })
    assert.deepEqual(deployment.body.spec.template.spec.containers[0].resources.limits, {
      cpu: '1500m',
      memory: '1Gi',
      'example.com/a': '1M',
    })
  })
})

describe('what an object says it is', needsControlPlane, () => {
  test('E10: may be left out for a built-in kind', async (t) => {
    const { create } = await start(t)
    const { code, body } = await create({ metadata: { name: 'a' } })
    assert.deepEqual([code, body.apiVersion, body.kind], [201, 'v1', 'ConfigMap'])
  })

  test('E10: has to be what the path is for', async (t) => {
    const { create } = await start(t)
    const unknown = (kind: string, apiVersion: string) =>
      `${kind} in version "${apiVersion.split('/').at(-1)}" cannot be handled as a ConfigMap: no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:111"`
    for (const [apiVersion, kind, message] of [
      ['v1', 'Other', unknown('Other', 'v1')],
      ['v2', 'ConfigMap', unknown('ConfigMap', 'v2')],
      ['apps/v1', 'ConfigMap', unknown('ConfigMap', 'apps/v1')],
      [
        'v1',
        'Secret',
        'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
      ],
    ])
      assert.deepEqual(refusal(await create({ apiVersion, kind, metadata: { name: 'a' } })), [
        400,
        'BadRequest',
        message,
      ])
  })

  test('E10: cannot be left out for a custom kind, and has to be what the path is for', async (t) => {
    const { plane, namespace, call } = await start(t)
    const { group, plural, kind } = await aCustomKind(t, plane)
    const path = `/apis/${group}/v1/namespaces/${namespace}/${plural}`
    const create = (body: object) => call({ method: 'POST', path, body: { ...body, metadata: { name: 'a' } } })
    const nameless = '{"metadata":{"name":"a"}}'
    assert.deepEqual(refusal(await create({})), [
      400,
      'BadRequest',
      `the object provided is unrecognized (must be of type ${kind}): Object 'Kind' is missing in '${nameless}' (${nameless})`,
    ])
    const otherVersion = (said: string) => [
      400,
      'BadRequest',
      `the API version in the data (${said}) does not match the expected API version (${group}/v1)`,
    ]
    assert.deepEqual(refusal(await create({ kind })), otherVersion(''))
    assert.deepEqual(refusal(await create({ kind, apiVersion: `${group}/v2` })), otherVersion(`${group}/v2`))
    const other = await create({ kind: 'Other', apiVersion: `${group}/v1` })
    assert.deepEqual(refusal(other), [
      422,
      'Invalid',
      `Other.${group} "a" is invalid: kind: Invalid value: "Other": must be ${kind}`,
    ])
  })

  test('E10: its name has to be the one of the path', async (t) => {
    const { existing, call } = await start(t)
    const path = await existing()
    const put = async (metadata: object) => refusal(await call({ method: 'PUT', path, body: { metadata } }))
    const mismatch = [400, 'BadRequest', 'the name of the object (other) does not match the name on the URL (existing)']
    assert.deepEqual(await put({ name: 'other' }), mismatch)
    assert.deepEqual(await put({}), [
      400,
      'BadRequest',
      'the name of the object (existing based on URL) was undeterminable: name must be provided',
    ])
    const body = { metadata: { name: 'other' } }
    assert.deepEqual(refusal(await call({ method: 'PATCH', path, contentType: merge, body })), mismatch)
  })

  test('E10: its namespace has to be the one of the path', async (t) => {
    const { existing, create, call } = await start(t)
    const mismatch = [
      400,
      'BadRequest',
      'the namespace of the provided object does not match the namespace sent on the request',
    ]
    const metadata = { name: 'existing', namespace: 'elsewhere' }
    assert.deepEqual(refusal(await create({ metadata })), mismatch)
    const path = await existing()
    assert.deepEqual(refusal(await call({ method: 'PUT', path, body: { metadata } })), mismatch)
    const patch = { method: 'PATCH', path, contentType: merge, body: { metadata: { namespace: 'elsewhere' } } }
    assert.deepEqual(refusal(await call(patch)), mismatch)
  })
})

/** A kind of a few fields that is this test's alone, served by the time this resolves. */
async function aCustomKind(t: TestContext, plane: ControlPlane) {
  const group = `${uniqueName('decoding')}.lanyard.test`
  const names = { plural: 'probes', singular: 'probe', kind: 'Probe', listKind: 'ProbeList' }
  const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  const openAPIV3Schema = {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          size: { type: 'integer' },
          items: { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } } },
          any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    },
  }
  const body = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${names.plural}.${group}` },
    spec: {
      group,
      names,
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  }
  assert.equal((await rawCall(plane, { method: 'POST', path: crds, body })).code, 201)
  teardown(t, async () => void (await rawCall(plane, { method: 'DELETE', path: `${crds}/${body.metadata.name}` })))
  const path = `/apis/${group}/v1/namespaces/default/${names.plural}`
  await eventually('the kind is served', async () => (await rawCall(plane, { path })).code === 200)
  return { group, plural: names.plural, kind: names.kind }
}
