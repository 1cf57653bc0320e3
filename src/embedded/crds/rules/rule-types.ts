import { isDeepStrictEqual } from 'node:util'
import type { Schema } from '../../../core/schema/schema.ts'
import { isObject } from '../../../core/schema/schema.ts'
import { escapeName } from '../../cel/escape.ts'
import { celEquals } from '../../cel/library/equality.ts'
import type { ObjectShape } from '../../cel/object-value.ts'
import { ObjectValue } from '../../cel/object-value.ts'
import { listValue, scalarValue, wrongType } from './rule-values.ts'

type Fields = Readonly<Record<string, unknown>>

/** How expressions see the values that a schema allows. */
export type RuleType = ScalarType | ListType | MapType | ObjectType

interface Typed {
  readonly schema: Schema
  /** A value of CEL. Throws an Error for what the schema does not allow: objects may be older than it. */
  toValue(raw: unknown): unknown
}

export interface ScalarType extends Typed {
  readonly kind: 'scalar'
  /** In the words of the library. */
  readonly name: string
}

export interface ListType extends Typed {
  readonly kind: 'list'
  readonly items: RuleType
}

export interface MapType extends Typed {
  readonly kind: 'map'
  readonly values: RuleType
}

export interface ObjectType extends Typed {
  readonly kind: 'object'
  /** By the names that expressions use. Fields that no expression can name, or see, are not here. */
  readonly fields: ReadonlyMap<string, RuleType>
  /** The same names, and others for the same fields, with what the fields are called. */
  readonly names: ReadonlyMap<string, string>
  /** A class of its own: the library tells types of values by it. */
  readonly valueClass: new (
    raw: Fields,
    shape: ObjectShape,
  ) => ObjectValue
}

/** Undefined where expressions cannot see a value: no schema says what is in it. `isResource`: it has metadata. */
export function ruleType(
  schema: Schema,
  isResource = schema['x-kubernetes-embedded-resource'] === true,
): RuleType | undefined {
  if (schema['x-kubernetes-int-or-string']) return scalar('dyn', schema)
  const { type, items, additionalProperties } = schema
  if (type === 'array') {
    const ofItems = items && ruleType(items)
    return (
      ofItems && {
        kind: 'list',
        schema,
        items: ofItems,
        toValue: nullOr(schema, (raw) => listValue(raw, schema, ofItems)),
      }
    )
  }
  if (type !== 'object') return scalarType(schema)
  if (!isResource && isObject(additionalProperties)) {
    const ofValues = ruleType(additionalProperties as Schema)
    return (
      ofValues && { kind: 'map', schema, values: ofValues, toValue: nullOr(schema, (raw) => mapValue(raw, ofValues)) }
    )
  }
  return objectType(isResource ? asResource(schema) : schema)
}

const formats: ReadonlyMap<string, string> = new Map([
  ['byte', 'bytes'],
  ['duration', 'google.protobuf.Duration'],
  ['date', 'google.protobuf.Timestamp'],
  ['date-time', 'google.protobuf.Timestamp'],
])

const scalars: Readonly<Record<string, string>> = { boolean: 'bool', number: 'double', integer: 'int' }

function scalarType(schema: Schema): ScalarType | undefined {
  const { type = '', format = '' } = schema
  const name = type === 'string' ? (formats.get(format) ?? 'string') : scalars[type]
  return name === undefined ? undefined : scalar(name, schema)
}

const scalar = (name: string, schema: Schema): ScalarType => ({
  kind: 'scalar',
  name,
  schema,
  toValue: nullOr(schema, (raw) => scalarValue(raw, schema)),
})

const nullOr = (schema: Schema, convert: (raw: unknown) => unknown) => (raw: unknown) => {
  if (raw !== null) return convert(raw)
  if (schema.nullable) return null
  throw new Error('invalid data, got null for schema with nullable=false')
}

const text: Schema = { type: 'string' }

/** Every object of the API has these fields, whatever its schema says; no others of metadata can be seen. */
function asResource(schema: Schema): Schema {
  const { kind, apiVersion, metadata } = schema.properties ?? {}
  const { name, generateName } = metadata?.properties ?? {}
  const isText = (part?: Schema) => part?.type === 'string'
  if (isText(kind) && isText(apiVersion) && metadata?.type === 'object' && isText(name) && isText(generateName))
    return schema
  const meta: Schema = { type: 'object', properties: { name: text, generateName: text } }
  return { ...schema, properties: { ...schema.properties, kind: text, apiVersion: text, metadata: meta } }
}

function objectType(schema: Schema): ObjectType {
  const fields = new Map<string, RuleType>()
  const names = new Map<string, string>()
  for (const [name, part] of Object.entries(schema.properties ?? {})) {
    const type = ruleType(part)
    const escaped = type && escapeName(name)
    if (type === undefined || escaped === undefined) continue
    fields.set(escaped, type)
    names.set(escaped, name)
    // Words that CEL keeps for itself may stand behind a dot as they are.
    if (escaped === `__${name}__`) names.set(name, name)
  }
  const shape = shapeOf(schema, fields, names)
  const valueClass = class extends ObjectValue {}
  return {
    kind: 'object',
    schema,
    fields,
    names,
    valueClass,
    toValue: nullOr(schema, (raw) => {
      if (!isObject(raw)) throw wrongType('a map for the provided schema with type=object')
      return new valueClass(raw, shape)
    }),
  }
}

function shapeOf(
  { properties = {} }: Schema,
  fields: ReadonlyMap<string, RuleType>,
  names: ReadonlyMap<string, string>,
): ObjectShape {
  const types = new Map([...fields].map(([escaped, type]) => [names.get(escaped) ?? '', type]))
  const own = (raw: Fields, name: string) => (Object.hasOwn(raw, name) ? (raw[name] ?? undefined) : undefined)
  return {
    read(raw, escaped) {
      const name = names.get(escaped) ?? ''
      const value = own(raw, name)
      return value === undefined ? undefined : types.get(name)?.toValue(value)
    },
    equals(one, other) {
      const keys = Object.keys(one)
      return (
        keys.length === Object.keys(other).length &&
        keys.every((key) => {
          const [value, counterpart] = [own(one, key), own(other, key)]
          const type = types.get(key)
          if (!Object.hasOwn(properties, key))
            return !Object.hasOwn(other, key) || isDeepStrictEqual(one[key], other[key])
          if (value === undefined || counterpart === undefined) return value === counterpart
          return type
            ? celEquals(type.toValue(value), type.toValue(counterpart))
            : isDeepStrictEqual(value, counterpart)
        })
      )
    },
  }
}

function mapValue(raw: unknown, values: RuleType): Map<string, unknown> {
  if (!isObject(raw)) throw wrongType('a map for the provided schema with type=object')
  return new Map(Object.entries(raw).map(([key, value]) => [key, values.toValue(value)]))
}
