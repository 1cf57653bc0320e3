import { isObject } from '../../../core/schema/schema.ts'
import type { PublishedSchema } from '../../kinds/facts/openapi.ts'

interface Frame {
  readonly swagger: string
  readonly title: string
  readonly version: string
}

/** OpenAPI v2 in protobuf, the only form in which client-go reads it: the messages of google/gnostic. */
export const documentInProtobuf = ({ swagger, title, version }: Frame, schemas: readonly Buffer[]): Buffer =>
  Buffer.concat([text(1, swagger), message(2, [text(1, title), text(2, version)]), message(8, []), message(9, schemas)])

/** One of its schemas. */
export const namedSchema = (name: string, schema: PublishedSchema): Buffer =>
  message(1, [text(1, name), schemaField(2, schema)])

type Encode = (number: number, value: never) => Buffer

const varint = (value: number | bigint): number[] => {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, BigInt(value))
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128)
  return [...bytes, Number(rest)]
}

/** What a field of bytes begins with. Most are short, and the arithmetic of big numbers is slow. */
const head = (number: number, length: number): Buffer => {
  const tag = number * 8 + 2
  return Buffer.from(tag < 128 && length < 128 ? [tag, length] : [...varint(tag), ...varint(length)])
}

const delimited = (number: number, bytes: Buffer): Buffer => Buffer.concat([head(number, bytes.length), bytes])

const message = (number: number, fields: readonly Buffer[]): Buffer => delimited(number, Buffer.concat(fields))
const text = (number: number, value: string): Buffer => delimited(number, Buffer.from(value))
const integer = (number: number, value: number): Buffer =>
  Buffer.from([...varint(number * 8), ...varint(Math.trunc(value))])
const flag = (number: number, value: boolean): Buffer => integer(number, value ? 1 : 0)
const double = (number: number, value: number): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleLE(value)
  return Buffer.concat([Buffer.from(varint(number * 8 + 1)), bytes])
}
/** Any value, as YAML, which JSON is. */
const any = (number: number, value: unknown): Buffer => message(number, [text(2, JSON.stringify(value))])
const each =
  <T>(encode: (number: number, value: T) => Buffer) =>
  (number: number, values: readonly T[]): Buffer =>
    Buffer.concat(values.map((value) => encode(number, value)))

const schemaField = (number: number, schema: PublishedSchema): Buffer => message(number, schemaFields(schema))

const namedSchemas = (schemas: Readonly<Record<string, PublishedSchema>>): Buffer[] =>
  Object.entries(schemas).map(([name, schema]) => namedSchema(name, schema))

/** The numbers of the message Schema. */
const keywords: Readonly<Record<string, readonly [number: number, encode: Encode]>> = {
  $ref: [1, text],
  format: [2, text],
  title: [3, text],
  description: [4, text],
  multipleOf: [6, double],
  maximum: [7, double],
  exclusiveMaximum: [8, flag],
  minimum: [9, double],
  exclusiveMinimum: [10, flag],
  maxLength: [11, integer],
  minLength: [12, integer],
  pattern: [13, text],
  maxItems: [14, integer],
  minItems: [15, integer],
  uniqueItems: [16, flag],
  maxProperties: [17, integer],
  minProperties: [18, integer],
  required: [19, each(text)],
  enum: [20, each(any)],
  additionalProperties: [
    21,
    (number, value: boolean | PublishedSchema) =>
      message(number, [isObject(value) ? schemaField(1, value) : flag(2, value === true)]),
  ],
  type: [22, (number, value: string) => message(number, [text(1, value)])],
  items: [23, (number, value: PublishedSchema) => message(number, [schemaField(1, value)])],
  properties: [25, (number, value: Record<string, PublishedSchema>) => message(number, namedSchemas(value))],
  externalDocs: [
    29,
    (number, { description = '', url = '' }: { description?: string; url?: string }) =>
      message(number, [text(1, description), text(2, url)]),
  ],
  example: [30, any],
}

/** Of the keywords that begin with x-. */
const extension = 31

function schemaFields(schema: PublishedSchema): Buffer[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const [number, encode] = keywords[keyword] ?? []
    if (number !== undefined && encode) return [encode(number, value as never)]
    return keyword.startsWith('x-') ? [message(extension, [text(1, keyword), any(2, value)])] : []
  })
}
