import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { envelope } from '../../../../test/support/protobuf.ts'
import { encodeFields } from '../../../../test/support/protobuf-encoder.ts'
import { ApiFailure } from '../../status.ts'
import { parseProtobuf } from './decode-protobuf.ts'
import type { Field, Message, Scalar } from './messages.ts'
import { messageOf } from './messages.ts'

const kinds = [
  ['v1', 'ConfigMap'],
  ['v1', 'Secret'],
  ['v1', 'Pod'],
  ['v1', 'Node'],
  ['v1', 'Service'],
  ['v1', 'Event'],
  ['apps/v1', 'Deployment'],
  ['coordination.k8s.io/v1', 'Lease'],
  ['authorization.k8s.io/v1', 'SubjectAccessReview'],
  ['admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration'],
  ['apiextensions.k8s.io/v1', 'CustomResourceDefinition'],
] as const

const text = fc.string({ unit: 'grapheme', maxLength: 12 })
const key = text.filter((key) => key !== '__proto__')
const second = fc.date({ min: new Date('1900-01-01'), max: new Date('2200-01-01'), noInvalidDate: true })
const iso = second.map((date) => date.toISOString().slice(0, 19))
// Null is not there, and what stands in a list is a value.
const json = fc
  .jsonValue({ maxDepth: 2 })
  .filter((value) => value !== null && !JSON.stringify(value).includes('__proto'))

const scalars: Record<Scalar, fc.Arbitrary<unknown>> = {
  bool: fc.boolean(),
  bytes: fc.uint8Array({ maxLength: 9 }).map((bytes) => Buffer.from(bytes).toString('base64')),
  double: fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Object.is(value, -0)),
  int32: fc.integer(),
  int64: fc.maxSafeInteger(),
  json: json.map((value) => JSON.parse(JSON.stringify(value))),
  string: text,
}

function special(name: string, depth: number, { fields }: Message): fc.Arbitrary<unknown> {
  const schema = fields.find((field) => field?.name === 'schema')?.type as Message | undefined
  const props = () => objectOf(schema as Message, depth)
  const many = <T>(item: fc.Arbitrary<T>) => fc.array(item, { minLength: 1, maxLength: 2 })
  switch (name) {
    case 'Time':
      return iso.map((moment) => `${moment}Z`)
    case 'MicroTime':
      return fc
        .tuple(iso, fc.integer({ min: 0, max: 999_999 }))
        .map(([moment, micros]) => `${moment}.${String(micros).padStart(6, '0')}Z`)
    case 'IntOrString':
      return fc.oneof(text, fc.integer())
    case 'Quantity':
      return fc.integer({ min: 1 }).map((number) => `${number}Mi`)
    case 'FieldsV1':
    case 'JSON':
      return scalars.json
    case 'JSONSchemaPropsOrArray':
      return fc.oneof(props(), many(props()))
    case 'JSONSchemaPropsOrBool':
      return fc.oneof(props(), fc.boolean())
    case 'JSONSchemaPropsOrStringArray':
      return fc.oneof(props(), many(text))
    default:
      return many(text)
  }
}

const ofType = (type: Message | Scalar, depth: number): fc.Arbitrary<unknown> =>
  typeof type === 'string'
    ? scalars[type]
    : type.toJson
      ? special(type.name, depth - 1, type)
      : objectOf(type, depth - 1)

function fieldOf({ shape, type, isKept }: Field, depth: number): fc.Arbitrary<unknown> {
  const value = ofType(type, depth)
  if (shape === 'list') return fc.array(value, { minLength: 1, maxLength: 3 })
  if (shape === 'map') return fc.dictionary(key, value, { minKeys: 1, maxKeys: 3, noNullPrototype: true })
  return isKept ? value : value.filter((value) => value !== '' && value !== 0 && value !== false)
}

/** Some of the fields that an object of this type has in JSON. */
function objectOf(message: Message, depth: number): fc.Arbitrary<Record<string, unknown>> {
  const own = message.fields.filter((field) => field !== undefined)
  const inner = own.flatMap((field) => (field.shape === 'inline' ? (field.type as Message).fields : []))
  const all = [...own, ...inner].filter((field) => field !== undefined && field.shape !== 'inline') as Field[]
  const simple = depth > 0 ? all : all.filter(({ type }) => typeof type === 'string')
  return fc.subarray(simple, { maxLength: Math.min(4, simple.length) }).chain((chosen) =>
    fc.record(Object.fromEntries(chosen.map((field) => [field.name, fieldOf(field, depth)])), {
      noNullPrototype: true,
    }),
  )
}

for (const [apiVersion, kind] of kinds)
  test(`a ${kind} comes back as it was`, () => {
    const message = messageOf(apiVersion, kind) as Message
    fc.assert(
      fc.property(objectOf(message, 5), (object) => {
        const { value, flaws } = parseProtobuf(envelope(apiVersion, kind, ...encodeFields(message, object)))
        assert.deepEqual([value, flaws], [{ apiVersion, kind, ...object }, []])
      }),
      { numRuns: 60 },
    )
  })

/** Reads it, or refuses it with 400: nothing else may come of any bytes. */
function survives(bytes: Uint8Array): void {
  try {
    const { value } = parseProtobuf(Buffer.from(bytes), { apiVersion: 'v1', kind: 'ConfigMap' })
    JSON.stringify(value)
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.code !== 400) throw error
  }
}

test('whatever bytes come, the worst is a 400', () => {
  const magic = Buffer.from('k8s\0')
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), fc.constantFrom(...kinds), (bytes, [apiVersion, kind]) => {
      survives(bytes)
      survives(Buffer.concat([magic, bytes]))
      survives(envelope(apiVersion, kind, Buffer.from(bytes)))
    }),
    { numRuns: 2_000 },
  )
})

test('a body with some bytes changed, cut out or cut off is read or refused with 400', () => {
  const bodies = fc.constantFrom(...kinds).chain(([apiVersion, kind]) => {
    const message = messageOf(apiVersion, kind) as Message
    return objectOf(message, 4).map((object) => envelope(apiVersion, kind, ...encodeFields(message, object)))
  })
  const changes = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(bodies, changes, fc.nat(), fc.boolean(), (body, changes, at, isCut) => {
      const bytes = Buffer.from(body)
      for (const [index, byte] of changes) bytes[index % bytes.length] = byte
      const place = at % bytes.length
      survives(isCut ? Buffer.concat([bytes.subarray(0, place), bytes.subarray(place + 1)]) : bytes)
      survives(bytes.subarray(0, place))
    }),
    { numRuns: 300 },
  )
})
