import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  delimited,
  double,
  envelope,
  integer,
  magic,
  mapEntry,
  tag,
  varint,
} from '../../../../test/support/protobuf.ts'
import { ApiFailure } from '../../status.ts'
import type { ExpectedType } from './decode-protobuf.ts'
import { parseProtobuf } from './decode-protobuf.ts'

const read = (apiVersion: string, kind: string, ...parts: Buffer[]) => {
  const { apiVersion: _, kind: __, ...fields } = parseProtobuf(envelope(apiVersion, kind, ...parts)).value
  return fields
}
const configMap = (...parts: Buffer[]) => read('v1', 'ConfigMap', ...parts)
const podSpec = (...parts: Buffer[]) => read('v1', 'Pod', delimited(2, ...parts))['spec']
const lease = (...parts: Buffer[]) => read('coordination.k8s.io/v1', 'Lease', delimited(2, ...parts))['spec']
const schema = (...parts: Buffer[]) => {
  const version = delimited(7, delimited(4, delimited(1, ...parts)))
  const { spec } = read('apiextensions.k8s.io/v1', 'CustomResourceDefinition', delimited(2, version))
  return (spec as { versions: { schema: { openAPIV3Schema: unknown } }[] }).versions[0]?.schema.openAPIV3Schema
}

const refusal = (bytes: Buffer, expected: ExpectedType = { apiVersion: 'v1', kind: 'ConfigMap' }): string => {
  try {
    parseProtobuf(bytes, expected)
  } catch (error) {
    if (error instanceof ApiFailure && error.code === 400) return error.message
    throw error
  }
  return 'it is read'
}
const whyNot = (...parts: Buffer[]) =>
  refusal(envelope('v1', 'ConfigMap', ...parts)).replace(
    'ConfigMap in version "v1" cannot be handled as a ConfigMap: ',
    '',
  )

test('an object says what it is before anything else', () => {
  const { value, flaws } = parseProtobuf(envelope('v1', 'ConfigMap', delimited(1, delimited(1, 'a'))))
  assert.deepEqual(Object.entries(value), [
    ['apiVersion', 'v1'],
    ['kind', 'ConfigMap'],
    ['metadata', { name: 'a' }],
  ])
  assert.deepEqual(flaws, [])
})

test('zero is left out where Go leaves it out, and kept behind pointers and in required fields', () => {
  assert.deepEqual(configMap(delimited(1, delimited(1, ''), integer(7, 0), integer(10, 0)), integer(4, 0)), {
    metadata: { deletionGracePeriodSeconds: 0 },
    immutable: false,
  })
  const port = delimited(6, delimited(1, ''), integer(2, 0), integer(3, 0))
  assert.deepEqual(podSpec(delimited(2, delimited(1, ''), port, delimited(8))), {
    containers: [{ name: '', ports: [{ containerPort: 0 }], resources: {} }],
  })
})

test('a zero takes back what stood in the same field before', () => {
  assert.deepEqual(configMap(delimited(1, delimited(1, 'a'), delimited(3, 'b'), delimited(1, ''))), {
    metadata: { namespace: 'b' },
  })
})

test('the fields of an inlined struct stand in the object around it', () => {
  const volume = delimited(1, delimited(1, 'v'), delimited(2, delimited(2, delimited(1, 'Memory'))))
  const reference = delimited(4, delimited(1, delimited(1, 's')), delimited(2, 'k'))
  const env = delimited(7, delimited(1, 'E'), delimited(3, reference))
  assert.deepEqual(podSpec(volume, delimited(2, delimited(1, 'c'), env)), {
    volumes: [{ name: 'v', emptyDir: { medium: 'Memory' } }],
    containers: [{ name: 'c', env: [{ name: 'E', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }] }],
  })
})

test('numbers of a list come one by one, packed, or both', () => {
  const groups = [integer(4, 1), delimited(4, varint(2), varint(300)), integer(4, -1)]
  assert.deepEqual(podSpec(delimited(14, ...groups)), { securityContext: { supplementalGroups: [1, 2, 300, -1] } })
})

test('an entry of a map that lacks its key or its value has an empty one', () => {
  assert.deepEqual(configMap(delimited(2, delimited(2, 'v')), delimited(2, delimited(1, 'k')), delimited(3)), {
    data: { '': 'v', k: '' },
    binaryData: { '': '' },
  })
  assert.deepEqual(podSpec(delimited(2, delimited(1, 'c'), delimited(8, delimited(1, delimited(1, 'cpu'))))), {
    containers: [{ name: 'c', resources: { limits: { cpu: '0' } } }],
  })
})

test('a list that protobuf can only wrap is a list', () => {
  const extra = mapEntry(5, 'scope', Buffer.concat([delimited(1, 'a'), delimited(1, 'b')]))
  const { spec } = read('authorization.k8s.io/v1', 'SubjectAccessReview', delimited(2, extra, mapEntry(5, 'none', '')))
  assert.deepEqual(spec, { extra: { scope: ['a', 'b'], none: [] } })
})

for (const [seconds, nanos, text] of [
  [1_700_000_000, 123_456_789, '2023-11-14T22:13:20.123456Z'],
  [1_700_000_000, -5_000, '2023-11-14T22:13:19.999995Z'],
  [1_700_000_000, 2_000_000_000, '2023-11-14T22:13:22.000000Z'],
  [-1, 0, '1969-12-31T23:59:59.000000Z'],
  [-62_135_596_799, 0, '0001-01-01T00:00:01.000000Z'],
  [-62_135_596_800, 0, undefined],
  [-62_135_596_800, 1_000, '0001-01-01T00:00:00.000001Z'],
] as const)
  test(`${seconds} seconds and ${nanos} nanoseconds are ${text ?? 'no time'}`, () => {
    const spec = text === undefined ? {} : { renewTime: text }
    assert.deepEqual(lease(delimited(4, integer(1, seconds), integer(2, nanos))), spec)
  })

test('a Time has no fraction, and an empty one is none', () => {
  assert.deepEqual(configMap(delimited(1, delimited(8), delimited(9, integer(1, 1_700_000_000), integer(2, 5)))), {
    metadata: { deletionTimestamp: '2023-11-14T22:13:20Z' },
  })
})

test('a year that RFC 3339 cannot write is refused', () => {
  for (const seconds of [253_402_300_800, -62_167_219_201, 2 ** 52])
    assert.match(whyNot(delimited(1, delimited(8, integer(1, seconds)))), /is in no year that this server can keep/)
})

test('JSON inside of bytes is JSON, with its zeros', () => {
  const fields = (raw: string) => delimited(1, delimited(17, delimited(1, 'm'), delimited(7, delimited(1, raw))))
  assert.deepEqual(configMap(fields('{"f:data":{".":{}}}')), {
    metadata: { managedFields: [{ manager: 'm', fieldsV1: { 'f:data': { '.': {} } } }] },
  })
  assert.deepEqual(configMap(fields('')), { metadata: { managedFields: [{ manager: 'm' }] } })
  assert.match(whyNot(fields('{bad')), /invalid character 'b'/)
  for (const value of [false, 0, '', [null], { a: [1] }])
    assert.deepEqual(schema(delimited(8, delimited(1, JSON.stringify(value)))), { default: value })
  assert.deepEqual(schema(delimited(8, delimited(1, 'null'))), {})
  assert.deepEqual(schema(delimited(20, delimited(1, '"x"')), delimited(20)), { enum: ['x', null] })
})

test('the parts of a schema where one of two things may stand are that thing', () => {
  const string = delimited(5, 'string')
  const shown = { type: 'string' }
  assert.deepEqual(schema(delimited(24, delimited(1, string))), { items: shown })
  assert.deepEqual(schema(delimited(24, delimited(2, string), delimited(2))), { items: [shown, {}] })
  assert.deepEqual(schema(delimited(30, integer(1, 1), delimited(2, string))), { additionalProperties: shown })
  assert.deepEqual(schema(delimited(30, integer(1, 1))), { additionalProperties: true })
  assert.deepEqual(schema(delimited(30)), { additionalProperties: false })
  const dependency = (...parts: Buffer[]) => mapEntry(32, 'a', Buffer.concat(parts))
  assert.deepEqual(schema(dependency(delimited(2, 'b'))), { dependencies: { a: ['b'] } })
  assert.deepEqual(schema(dependency(delimited(1, string))), { dependencies: { a: shown } })
  assert.deepEqual(schema(delimited(2, 'u'), delimited(3, 'r'), double(9, 0)), { $schema: 'u', $ref: 'r', maximum: 0 })
})

test('a number or a text is the one that its type says', () => {
  const target = (...parts: Buffer[]) =>
    read('v1', 'Service', delimited(2, delimited(1, integer(3, 80), delimited(4, ...parts))))['spec']
  assert.deepEqual(target(integer(2, 8080), delimited(3, 'x')), { ports: [{ port: 80, targetPort: 8080 }] })
  assert.deepEqual(target(integer(1, 1), integer(2, 5), delimited(3, 'x')), { ports: [{ port: 80, targetPort: 'x' }] })
  assert.deepEqual(target(), { ports: [{ port: 80, targetPort: 0 }] })
  assert.throws(() => target(integer(1, 7)), /impossible IntOrString.Type/)
})

test('small numbers wrap around as in Go, and large ones are refused, not rounded', () => {
  assert.deepEqual(lease(integer(2, 2n ** 32n + 5n)), { leaseDurationSeconds: 5 })
  assert.deepEqual(lease(integer(2, -7)), { leaseDurationSeconds: -7 })
  const generation = (value: bigint) => delimited(1, integer(7, value))
  assert.deepEqual(configMap(generation(2n ** 53n - 1n)), { metadata: { generation: 2 ** 53 - 1 } })
  assert.deepEqual(configMap(generation(1n - 2n ** 53n)), { metadata: { generation: 1 - 2 ** 53 } })
  for (const value of [2n ** 53n, -(2n ** 63n)])
    assert.equal(whyNot(generation(value)), `the number ${value} has more than 53 bits, which this server cannot keep`)
  assert.throws(() => schema(double(9, Number.NaN)), /unsupported value/)
})

test('a key that would reach the prototype is refused', () => {
  assert.match(whyNot(mapEntry(2, '__proto__', 'x')), /named "__proto__"/)
  assert.deepEqual(configMap(mapEntry(2, 'constructor', 'x')), { data: { constructor: 'x' } })
})

test('nesting is read to a limit, and beyond it refused without a stack overflow', () => {
  const nested = (levels: number): Buffer => {
    let bytes: Buffer[] = []
    let size = 0
    for (let level = 0; level < levels; level++) {
      const head = Buffer.concat([tag(28, 2), varint(size)])
      bytes.push(head)
      size += head.length
    }
    bytes = bytes.reverse()
    return Buffer.concat(bytes)
  }
  assert.ok(schema(nested(400)))
  for (const levels of [600, 200_000]) assert.throws(() => schema(nested(levels)), /exceeded max depth/)
  const groups = Buffer.concat([...Array(100_000).fill(tag(99, 3)), ...Array(100_000).fill(tag(99, 4))])
  assert.deepEqual(configMap(groups), {})
})

test('what is wrong inside of an object is told with its kind', () => {
  assert.equal(whyNot(delimited(1, integer(1, 5))), 'proto: wrong wireType = 0 for field Name')
  assert.equal(whyNot(delimited(4, 'x')), 'proto: wrong wireType = 2 for field Immutable')
  assert.equal(whyNot(mapEntry(2, 'a', 'b').subarray(0, -1)), 'unexpected EOF')
  assert.equal(whyNot(tag(99, 1)), 'unexpected EOF')
  assert.equal(whyNot(Buffer.alloc(11, 0xff)), 'proto: integer overflow')
})

test('what the envelope leaves out comes from the path, or is missed', () => {
  const nameless = Buffer.concat([magic, delimited(2, delimited(1, delimited(1, 'a')))])
  const { value } = parseProtobuf(nameless, { apiVersion: 'v1', kind: 'Secret' })
  assert.deepEqual(value, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } })
  assert.equal(parseProtobuf(envelope('a/b/c', 'Secret'), { apiVersion: 'v1', kind: 'Secret' }).value['kind'], 'Secret')
  assert.match(refusal(nameless, { kind: 'Secret' }), /must be of type Secret\): Object 'apiVersion' is missing/)
})

test('an envelope with other types of fields than it has is refused', () => {
  assert.match(refusal(Buffer.concat([magic, integer(2, 1)])), /proto: wrong wireType = 0 for field Raw/)
  assert.match(refusal(Buffer.concat([magic, delimited(1, integer(2, 1))])), /wrong wireType = 0 for field Kind/)
})

test('the options of a delete are read in whatever version they come', () => {
  const options = (apiVersion: string, ...parts: Buffer[]) =>
    parseProtobuf(envelope(apiVersion, 'DeleteOptions', ...parts), { kind: 'DeleteOptions' }).value
  for (const apiVersion of ['v1', 'meta.k8s.io/v1', 'apps/v1', ''])
    assert.deepEqual(options(apiVersion, integer(1, 0), delimited(2, delimited(1, 'u')), delimited(5, 'All')), {
      gracePeriodSeconds: 0,
      preconditions: { uid: 'u' },
      dryRun: ['All'],
    })
  const refused = (bytes: Buffer) => refusal(bytes, { kind: 'DeleteOptions' })
  assert.match(refused(envelope('v1', 'Pod')), /^no kind "Pod" is registered for version "v1"/)
  assert.equal(refused(magic), 'empty body')
})
