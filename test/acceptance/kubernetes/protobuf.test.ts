/** Bodies in protobuf, which is what kubectl and other Go programs send of built-in kinds when nobody tells them otherwise. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import { uniqueName } from '../../support/builders.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { freshNamespace } from '../../support/fresh-namespace.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { delimited, double, envelope, integer, magic, mapEntry, tag, varint } from '../../support/protobuf.ts'
import { rawRequest } from '../../support/raw-request.ts'

const protobuf = 'application/vnd.kubernetes.protobuf'

async function scene(t: TestContext) {
  const plane = await startControlPlane(t)
  const namespace = await freshNamespace(t, kubeClient(t, plane.connection()))
  const send = (method: string, path: string, body: Buffer | object, contentType?: string) => {
    const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body))
    const type = contentType ?? (Buffer.isBuffer(body) ? protobuf : 'application/json')
    const headers = { 'content-type': type, 'content-length': String(bytes.length), accept: 'application/json' }
    return rawRequest(plane, { method, path, headers, body: bytes })
  }
  /** Both are created, and must be the same but for what each object has of its own. */
  const sameAsJson = async (path: string, binary: Buffer, twin: object) => {
    const sent = await send('POST', `${path}?dryRun=All`, binary)
    const expected = await send('POST', `${path}?dryRun=All`, twin)
    assert.equal(sent.code, 201, sent.text)
    assert.equal(expected.code, 201, expected.text)
    assert.deepEqual(withoutIdentity(sent.json), withoutIdentity(expected.json))
    return sent.json
  }
  const path = `/api/v1/namespaces/${namespace}/configmaps`
  return { namespace, send, sameAsJson, path }
}

// biome-ignore lint/suspicious/noExplicitAny: whatever the server answered
function withoutIdentity(object: any) {
  const { uid, creationTimestamp, managedFields = [], ...metadata } = object.metadata
  // biome-ignore lint/suspicious/noExplicitAny: as above
  return { ...object, metadata, managed: managedFields.map(({ time, ...entry }: any) => entry) }
}

const named = (name: string, ...more: Buffer[]) => delimited(1, delimited(1, name), ...more)
const label = (key: string, value: string) => mapEntry(11, key, value)
const time = (seconds: number, nanos = 0) => Buffer.concat([integer(1, seconds), integer(2, nanos)])

/** As Go writes its metadata: texts and numbers that nobody has set are there, empty. */
const goMetadata = (name: string, ...more: Buffer[]) =>
  delimited(
    1,
    delimited(1, name),
    ...[2, 3, 4, 5, 6].map((field) => delimited(field, '')),
    integer(7, 0),
    delimited(8),
    ...more,
  )

describe('bodies in protobuf', needsControlPlane, () => {
  test('E10: a ConfigMap is what the same one in JSON is', async (t) => {
    const { path, sameAsJson } = await scene(t)
    const body = [
      goMetadata('a', label('x', 'y'), mapEntry(12, 'note', 'ü'), delimited(14, 'example.com/f')),
      mapEntry(2, 'empty', ''),
      mapEntry(2, 'text', 'a\nb'),
      mapEntry(3, 'bytes', Buffer.from([0, 255, 128])),
      integer(4, 0),
    ]
    const object = await sameAsJson(path, envelope('v1', 'ConfigMap', ...body), {
      metadata: { name: 'a', labels: { x: 'y' }, annotations: { note: 'ü' }, finalizers: ['example.com/f'] },
      data: { empty: '', text: 'a\nb' },
      binaryData: { bytes: 'AP+A' },
      immutable: false,
    })
    assert.deepEqual(object.binaryData, { bytes: 'AP+A' })
  })

  test('E10: it is kept, and what Go leaves empty is not', async (t) => {
    const { path, send } = await scene(t)
    const created = await send('POST', path, envelope('v1', 'ConfigMap', goMetadata('a'), mapEntry(2, 'a', 'b')))
    assert.equal(created.code, 201, created.text)
    const { json: object } = await send('GET', `${path}/a`, Buffer.alloc(0))
    assert.deepEqual(object, created.json)
    assert.deepEqual(object.data, { a: 'b' })
    assert.deepEqual(Object.keys(object.metadata).sort(), [
      'creationTimestamp',
      'managedFields',
      'name',
      'namespace',
      'resourceVersion',
      'uid',
    ])
  })

  test('E10: a Namespace is what the same one in JSON is', async (t) => {
    const { sameAsJson } = await scene(t)
    const name = uniqueName('protobuf')
    const body = [goMetadata(name, label('a', 'b')), delimited(2), delimited(3, delimited(1, ''))]
    const twin = { metadata: { name, labels: { a: 'b' } }, spec: {}, status: {} }
    await sameAsJson('/api/v1/namespaces', envelope('v1', 'Namespace', ...body), twin)
  })

  test('E10: a Secret with its bytes is what the same one in JSON is', async (t) => {
    const { namespace, sameAsJson } = await scene(t)
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index))
    const body = [
      goMetadata('a'),
      mapEntry(2, 'key', bytes),
      delimited(3, 'example.com/kind'),
      mapEntry(4, 'text', 'plain'),
      integer(5, 1),
    ]
    await sameAsJson(`/api/v1/namespaces/${namespace}/secrets`, envelope('v1', 'Secret', ...body), {
      metadata: { name: 'a' },
      data: { key: bytes.toString('base64') },
      type: 'example.com/kind',
      stringData: { text: 'plain' },
      immutable: true,
    })
  })

  test('E10: a Service with ports by number and by name is what the same one in JSON is', async (t) => {
    const { namespace, sameAsJson } = await scene(t)
    const port = (name: string, number: number, target: Buffer) =>
      delimited(1, delimited(1, name), delimited(2, 'TCP'), integer(3, number), delimited(4, target), integer(5, 0))
    const spec = delimited(
      2,
      port('a', 80, Buffer.concat([integer(1, 0), integer(2, 8080), delimited(3, '')])),
      port('b', 81, Buffer.concat([integer(1, 1), integer(2, 0), delimited(3, 'web')])),
      mapEntry(2, 'app', 'x'),
      delimited(3, 'None'),
      ...[4, 7, 8, 10, 11].map((field) => delimited(field, '')),
      integer(12, 0),
      integer(13, 0),
    )
    await sameAsJson(`/api/v1/namespaces/${namespace}/services`, envelope('v1', 'Service', goMetadata('a'), spec), {
      metadata: { name: 'a' },
      spec: {
        ports: [
          { name: 'a', protocol: 'TCP', port: 80, targetPort: 8080 },
          { name: 'b', protocol: 'TCP', port: 81, targetPort: 'web' },
        ],
        selector: { app: 'x' },
        clusterIP: 'None',
      },
    })
  })

  test('E10: a Deployment with quantities, probes, volumes and groups is what the same one in JSON is', async (t) => {
    const { namespace, sameAsJson } = await scene(t)
    const container = delimited(
      2,
      delimited(1, 'c'),
      delimited(2, 'image'),
      delimited(8, mapEntry(1, 'cpu', delimited(1, '1500m')), mapEntry(2, 'memory', delimited(1, '1Gi'))),
      delimited(9, delimited(1, 'v'), integer(2, 1), delimited(3, '/v')),
      delimited(
        10,
        delimited(1, delimited(2, delimited(1, '/z'), delimited(2, integer(1, 0), integer(2, 80)))),
        integer(4, 7),
      ),
      delimited(
        7,
        delimited(1, 'E'),
        delimited(3, delimited(4, delimited(1, delimited(1, 's')), delimited(2, 'k'), integer(3, 0))),
      ),
    )
    const packed = delimited(4, varint(5), varint(300))
    const podSpec = delimited(
      2,
      container,
      integer(4, 0),
      delimited(14, integer(2, 0), packed, integer(4, 7)),
      delimited(1, delimited(1, 'v'), delimited(2, delimited(2, delimited(1, ''), delimited(2, delimited(1, '1Mi'))))),
    )
    const template = delimited(3, delimited(1, label('a', 'b')), podSpec)
    const rolling = delimited(2, delimited(1, integer(1, 1), integer(2, 0), delimited(3, '50%')))
    const spec = delimited(
      2,
      integer(1, 0),
      delimited(2, mapEntry(1, 'a', 'b')),
      template,
      delimited(4, delimited(1, 'RollingUpdate'), rolling),
      integer(5, 0),
    )
    const body = envelope('apps/v1', 'Deployment', goMetadata('a'), spec, delimited(3))
    await sameAsJson(`/apis/apps/v1/namespaces/${namespace}/deployments`, body, {
      metadata: { name: 'a' },
      spec: {
        replicas: 0,
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: {
            terminationGracePeriodSeconds: 0,
            securityContext: { runAsUser: 0, supplementalGroups: [5, 300, 7] },
            volumes: [{ name: 'v', emptyDir: { sizeLimit: '1Mi' } }],
            containers: [
              {
                name: 'c',
                image: 'image',
                env: [{ name: 'E', valueFrom: { secretKeyRef: { name: 's', key: 'k', optional: false } } }],
                resources: { limits: { cpu: '1500m' }, requests: { memory: '1Gi' } },
                volumeMounts: [{ name: 'v', readOnly: true, mountPath: '/v' }],
                livenessProbe: { httpGet: { path: '/z', port: 80 }, periodSeconds: 7 },
              },
            ],
          },
        },
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '50%' } },
      },
      status: {},
    })
  })

  test('E10: times are what the same ones in JSON are, and a time that is none is no field', async (t) => {
    const { namespace, sameAsJson } = await scene(t)
    const spec = delimited(
      2,
      delimited(1, ''),
      integer(2, 15),
      delimited(3, time(1_700_000_000, 123_456_789)),
      delimited(4, time(1_700_000_001)),
    )
    const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`
    const object = await sameAsJson(path, envelope('coordination.k8s.io/v1', 'Lease', goMetadata('a'), spec), {
      metadata: { name: 'a' },
      spec: {
        holderIdentity: '',
        leaseDurationSeconds: 15,
        acquireTime: '2023-11-14T22:13:20.123456Z',
        renewTime: '2023-11-14T22:13:21.000000Z',
      },
    })
    assert.equal(object.spec.acquireTime, '2023-11-14T22:13:20.123456Z')
  })

  test('E10: a CustomResourceDefinition with JSON in its schema is what the same one in JSON is', async (t) => {
    const { sameAsJson } = await scene(t)
    const plural = uniqueName('protobufs').replaceAll('-', '')
    const group = 'protobuf.example.com'
    const property = (key: string, ...parts: Buffer[]) => mapEntry(29, key, Buffer.concat(parts))
    const text = delimited(5, 'string')
    const properties = [
      property(
        'a',
        text,
        delimited(8, delimited(1, '"x"')),
        delimited(20, delimited(1, '"x"')),
        delimited(20, delimited(1, '"y"')),
      ),
      property('b', delimited(5, 'integer'), double(9, 10.5), double(11, 0), integer(13, 0)),
      property('c', delimited(5, 'array'), delimited(24, delimited(1, text)), delimited(42, 'set')),
      property('d', delimited(5, 'object'), delimited(30, integer(1, 1), delimited(2, text))),
      property('e', integer(40, 1)),
      property('f', delimited(5, 'object'), integer(38, 1), delimited(43, 'atomic')),
    ]
    const schema = delimited(4, delimited(1, delimited(5, 'object'), ...properties))
    const names = delimited(3, delimited(1, plural), delimited(2, ''), delimited(4, 'Protobuf'), delimited(5, ''))
    const version = delimited(7, delimited(1, 'v1'), integer(2, 1), integer(3, 1), schema, integer(7, 0))
    const spec = delimited(2, delimited(1, group), names, delimited(4, 'Namespaced'), version, integer(10, 0))
    const body = envelope('apiextensions.k8s.io/v1', 'CustomResourceDefinition', goMetadata(`${plural}.${group}`), spec)
    await sameAsJson('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', body, {
      metadata: { name: `${plural}.${group}` },
      spec: {
        group,
        names: { plural, kind: 'Protobuf' },
        scope: 'Namespaced',
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: {
                  a: { type: 'string', default: 'x', enum: ['x', 'y'] },
                  b: { type: 'integer', maximum: 10.5, minimum: 0, maxLength: 0 },
                  c: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
                  d: { type: 'object', additionalProperties: { type: 'string' } },
                  e: { 'x-kubernetes-int-or-string': true },
                  f: {
                    type: 'object',
                    'x-kubernetes-preserve-unknown-fields': true,
                    'x-kubernetes-map-type': 'atomic',
                  },
                },
              },
            },
          },
        ],
      },
    })
  })

  test('E10: a review is answered', async (t) => {
    const { send } = await scene(t)
    const attributes = delimited(1, delimited(1, ''), delimited(2, 'create'), delimited(5, 'configmaps'))
    const group = 'authorization.k8s.io/v1'
    const body = envelope(group, 'SelfSubjectAccessReview', delimited(1), delimited(2, attributes), delimited(3))
    const { code, json } = await send('POST', `/apis/${group}/selfsubjectaccessreviews`, body)
    assert.deepEqual([code, json.kind, json.status.allowed], [201, 'SelfSubjectAccessReview', true])
    assert.deepEqual(json.spec, { resourceAttributes: { verb: 'create', resource: 'configmaps' } })
  })

  test('E10: a token is issued', async (t) => {
    const { namespace, send } = await scene(t)
    const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`
    await send('POST', accounts, envelope('v1', 'ServiceAccount', named('a')))
    const body = envelope('authentication.k8s.io/v1', 'TokenRequest', delimited(1), delimited(2, integer(4, 700)))
    const { code, json } = await send('POST', `${accounts}/a/token`, body)
    assert.deepEqual([code, json.kind, json.spec.expirationSeconds], [201, 'TokenRequest', 700])
    assert.ok(json.status.token)
  })

  test('E10: an update replaces, and a stale one conflicts', async (t) => {
    const { path, send } = await scene(t)
    const { json: created } = await send('POST', path, envelope('v1', 'ConfigMap', named('a'), mapEntry(2, 'a', '1')))
    const at = delimited(6, created.metadata.resourceVersion)
    const next = envelope('v1', 'ConfigMap', named('a', at, label('x', 'y')), mapEntry(2, 'b', '2'))
    const updated = await send('PUT', `${path}/a`, next)
    assert.deepEqual([updated.code, updated.json.data], [200, { b: '2' }])
    assert.deepEqual(updated.json.metadata.labels, { x: 'y' })
    assert.equal(updated.json.metadata.uid, created.metadata.uid)
    const stale = await send('PUT', `${path}/a`, next)
    assert.deepEqual([stale.code, stale.json.reason], [409, 'Conflict'])
  })

  test('E10: the scale of a Deployment is set', async (t) => {
    const { namespace, send } = await scene(t)
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments`
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
    const spec = { replicas: 0, selector: { matchLabels: { a: 'b' } }, template }
    assert.equal((await send('POST', path, { metadata: { name: 'a' }, spec })).code, 201)
    const body = envelope('autoscaling/v1', 'Scale', named('a', delimited(3, namespace)), delimited(2, integer(1, 3)))
    const { code, json } = await send('PUT', `${path}/a/scale`, body)
    assert.deepEqual([code, json.kind, json.spec], [200, 'Scale', { replicas: 3 }])
  })

  test('E10: the preconditions of a delete hold', async (t) => {
    const { path, send } = await scene(t)
    const { json: created } = await send('POST', path, envelope('v1', 'ConfigMap', named('a')))
    const options = (uid: string, kind = 'DeleteOptions', apiVersion = 'v1') =>
      envelope(apiVersion, kind, integer(1, 0), delimited(2, delimited(1, uid)), delimited(4, 'Background'))
    const refused = await send('DELETE', `${path}/a`, options('another'))
    assert.deepEqual([refused.code, refused.json.reason], [409, 'Conflict'])
    const other = await send('DELETE', `${path}/a`, options(created.metadata.uid, 'ConfigMap'))
    assert.deepEqual([other.code, other.json.reason], [400, 'BadRequest'])
    const gone = await send('DELETE', `${path}/a`, options(created.metadata.uid, 'DeleteOptions', 'meta.k8s.io/v1'))
    assert.deepEqual([gone.code, gone.json.status], [200, 'Success'])
  })

  test('E10: dryRun in the body of a delete deletes nothing', async (t) => {
    const { path, send } = await scene(t)
    await send('POST', path, envelope('v1', 'ConfigMap', named('a')))
    const dry = await send('DELETE', `${path}/a`, envelope('apps/v1', 'DeleteOptions', delimited(5, 'All')))
    assert.equal(dry.code, 200)
    assert.equal((await send('GET', `${path}/a`, Buffer.alloc(0))).code, 200)
  })

  test('E10: what the body does not say about itself, the path says', async (t) => {
    const { path, send } = await scene(t)
    const map = [named('a'), mapEntry(2, 'a', 'b')]
    for (const body of [
      Buffer.concat([magic, delimited(2, ...map)]),
      envelope('', '', ...map),
      envelope('v1', '', ...map),
      envelope('', 'ConfigMap', ...map),
    ]) {
      const { code, json } = await send('POST', `${path}?dryRun=All`, body)
      assert.deepEqual([code, json.kind, json.apiVersion, json.data], [201, 'ConfigMap', 'v1', { a: 'b' }])
    }
  })

  test('E10: fields that nobody knows are passed over, whatever validation is asked for', async (t) => {
    const { path, send } = await scene(t)
    const unknown = [
      delimited(99, 'x'),
      integer(98, 1),
      double(97, 1),
      Buffer.concat([tag(96, 5), Buffer.alloc(4)]),
      Buffer.concat([tag(95, 3), integer(1, 1), delimited(2, 'x'), tag(94, 3), tag(94, 4), tag(95, 4)]),
    ]
    const body = envelope('v1', 'ConfigMap', ...unknown, named('a', ...unknown), mapEntry(2, 'a', 'b'))
    const { code, json, headers } = await send('POST', `${path}?fieldValidation=Strict`, body)
    assert.deepEqual([code, json.data, headers['warning']], [201, { a: 'b' }, undefined])
  })

  test('E10: of fields that are repeated the last counts, and objects are put together', async (t) => {
    const { path, send } = await scene(t)
    const parts = [
      named('b', label('x', '1')),
      named('a', label('y', '2')),
      mapEntry(2, 'k', '1'),
      mapEntry(2, 'k', '2'),
    ]
    const { code, json } = await send('POST', path, envelope('v1', 'ConfigMap', ...parts))
    assert.deepEqual([code, json.metadata.name, json.data], [201, 'a', { k: '2' }])
    assert.deepEqual(json.metadata.labels, { x: '1', y: '2' })
  })
})

const whole = envelope('v1', 'ConfigMap', named('a'), mapEntry(2, 'a', 'b'))
const unrecognized = 'the object provided is unrecognized (must be of type ConfigMap): '
const prefix = 'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]'
const cannotBe = 'ConfigMap in version "v1" cannot be handled as a ConfigMap: '
const inside = (...parts: Buffer[]) => envelope('v1', 'ConfigMap', named('a'), ...parts)

describe('bodies that are no protobuf', needsControlPlane, () => {
  for (const [what, body, message] of [
    ['nothing', Buffer.alloc(0), `${unrecognized}empty data (<empty>)`],
    ['the magic number alone', magic, `${unrecognized}empty body (6b387300)`],
    ['less than the magic number', magic.subarray(0, 2), `${unrecognized}${prefix} (6b38)`],
    ['JSON', Buffer.from('{"a":1}'), `${unrecognized}${prefix} ({"a":1})`],
    [
      'garbage behind the magic number',
      Buffer.concat([magic, Buffer.from('garbage garbage')]),
      `${unrecognized}proto: illegal wireType 7 (6b387300676172626167652067617262616765)`,
    ],
    [
      'a number without an end',
      Buffer.concat([magic, Buffer.alloc(11, 255)]),
      `${unrecognized}proto: integer overflow (6b387300ffffffffffffffffffffff)`,
    ],
    [
      'an envelope that is cut off',
      whole.subarray(0, 30),
      `${unrecognized}unexpected EOF (6b3873000a0f0a0276311209436f6e6669674d6170120d0a030a01611206)`,
    ],
    ['an object that is cut off', envelope('v1', 'ConfigMap', named('a').subarray(0, -1)), `${cannotBe}unexpected EOF`],
    ['a length of gigabytes', inside(tag(2, 2), varint(1e9)), `${cannotBe}unexpected EOF`],
    ['a negative length', inside(tag(2, 2), varint(-1)), `${cannotBe}proto: negative length found during unmarshaling`],
    [
      'a number where an object belongs',
      inside(integer(1, 3)),
      `${cannotBe}proto: wrong wireType = 0 for field ObjectMeta`,
    ],
    ['a number where a map belongs', inside(integer(2, 3)), `${cannotBe}proto: wrong wireType = 0 for field Data`],
    ['a field without a number', inside(tag(0, 2)), `${cannotBe}proto: ConfigMap: illegal tag 0 (wire type 2)`],
    ['a kind of value that there is not', inside(tag(99, 6)), `${cannotBe}proto: illegal wireType 6`],
    ['a group without an end', inside(tag(99, 3), integer(5, 5)), `${cannotBe}unexpected EOF`],
    ['the end of no group', inside(tag(99, 4)), `${cannotBe}proto: ConfigMap: wiretype end group for non-group`],
    [
      'a kind that there is not',
      envelope('v1', 'Nothing', named('a')),
      'Nothing in version "v1" cannot be handled as a ConfigMap: no kind "Nothing" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
    ],
  ] as const)
    test(`E10: ${what} is refused with 400 and the reason`, async (t) => {
      const { path, send } = await scene(t)
      const { code, json } = await send('POST', path, Buffer.from(body))
      assert.deepEqual([code, json.reason, json.message], [400, 'BadRequest', message])
    })

  test('E10: another kind than that of the path is refused with 400', async (t) => {
    const { path, send } = await scene(t)
    const { code, json } = await send('POST', path, envelope('v1', 'Secret', named('a')))
    assert.deepEqual([code, json.reason], [400, 'BadRequest'])
    assert.match(json.message, /^Secret in version "v1" cannot be handled as a ConfigMap: /)
  })

  test('E10: the options of a delete that cannot be read are refused with 400, and nothing is deleted', async (t) => {
    const { path, send } = await scene(t)
    await send('POST', path, whole)
    for (const [body, message] of [
      [magic, 'empty body'],
      [Buffer.from('garbage'), prefix],
      [Buffer.concat([magic, Buffer.from('garbage garbage')]), 'proto: illegal wireType 7'],
      [envelope('v1', 'DeleteOptions', delimited(1, 'x')), 'proto: wrong wireType = 2 for field GracePeriodSeconds'],
    ] as const) {
      const { code, json } = await send('DELETE', `${path}/a`, body)
      assert.deepEqual([code, json.reason, json.message], [400, 'BadRequest', message])
    }
    assert.equal((await send('GET', `${path}/a`, Buffer.alloc(0))).code, 200)
  })

  test('E10: a patch is never protobuf', async (t) => {
    const { path, send } = await scene(t)
    await send('POST', path, whole)
    const { code, json } = await send('PATCH', `${path}/a`, whole)
    assert.deepEqual([code, json.reason], [415, 'UnsupportedMediaType'])
  })

  test('E10: what is written in nothing that is read is refused with 415, which names what is', async (t) => {
    const { path, send } = await scene(t)
    for (const method of ['POST', 'DELETE']) {
      const at = method === 'POST' ? path : `${path}/a`
      const { code, json } = await send(method, at, whole, 'text/plain')
      assert.deepEqual([code, json.reason], [415, 'UnsupportedMediaType'])
      assert.equal(
        json.message,
        'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
      )
    }
  })
})
