import type { Field, Message, Scalar } from '../../src/embedded/kinds/protobuf/messages.ts'
import { delimited, double, integer } from './protobuf.ts'

type Fields = Record<string, unknown>

/** The way back: what `readFields` makes these fields of. */
export function encodeFields(message: Message, object: Fields): Buffer[] {
  return message.fields.flatMap((field, number) => {
    if (!field) return []
    if (field.shape === 'inline') return [delimited(number, ...encodeFields(field.type as Message, object))]
    const value = object[field.name]
    return value === undefined ? [] : encodeField(number, field, value)
  })
}

function encodeField(number: number, { shape, type }: Field, value: unknown): Buffer[] {
  if (shape === 'list') return (value as unknown[]).map((item) => encodeValue(number, type, item))
  if (shape === 'one') return [encodeValue(number, type, value)]
  return Object.entries(value as Fields).map(([key, item]) =>
    delimited(number, delimited(1, key), encodeValue(2, type, item)),
  )
}

function encodeValue(number: number, type: Message | Scalar, value: unknown): Buffer {
  switch (type) {
    case 'string':
      return delimited(number, String(value))
    case 'bytes':
      return delimited(number, Buffer.from(String(value), 'base64'))
    case 'json':
      return delimited(number, JSON.stringify(value))
    case 'double':
      return double(number, Number(value))
    case 'bool':
    case 'int32':
    case 'int64':
      return integer(number, Number(value))
    default:
      return delimited(number, ...encodeFields(type, fieldsOf(type, value)))
  }
}

/** What stands in the message of a type that JSON shows in its own way. */
function fieldsOf({ name, toJson }: Message, value: unknown): Fields {
  if (!toJson) return value as Fields
  switch (name) {
    case 'FieldsV1':
      return { Raw: value }
    case 'IntOrString':
      return typeof value === 'number' ? { type: 0, intVal: value } : { type: 1, strVal: value }
    case 'JSON':
      return { raw: value }
    case 'JSONSchemaPropsOrArray':
      return Array.isArray(value) ? { jSONSchemas: value } : { schema: value }
    case 'JSONSchemaPropsOrBool':
      return typeof value === 'boolean' ? { allows: value } : { allows: true, schema: value }
    case 'JSONSchemaPropsOrStringArray':
      return Array.isArray(value) ? { property: value } : { schema: value }
    case 'MicroTime':
    case 'Time':
      return momentOf(String(value))
    case 'Quantity':
      return { string: value }
    default:
      return { items: value }
  }
}

function momentOf(text: string): Fields {
  const seconds = Date.parse(`${text.slice(0, 19)}Z`) / 1_000
  return { seconds, nanos: Number(text.slice(20, -1)) * 1_000 }
}
