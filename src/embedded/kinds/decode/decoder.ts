import type { Schema } from '../../../core/schema/schema.ts'
import { isObject } from '../../../core/schema/schema.ts'
import { definition, definitionOf, isOmittedWhenZero, structBetween } from '../facts/schemas.ts'
import { goType, jsonTypeOf, structName } from './go-types.ts'
import * as scalars from './scalars.ts'
import { Unfit } from './unfit.ts'
import type { Step, Walk } from './walk.ts'

/** Gives the value as it is kept, changing objects and lists in place; undefined for what is not kept. Never gets null. */
export type Decoder = (value: unknown, walk: Walk) => unknown

const made = new WeakMap<Schema, Decoder>()

/** Made once for each schema. */
export function decoderOf(schema: Schema): Decoder {
  const known = made.get(schema)
  if (known) return known
  // Stands in for the decoder while that is being made: a schema may refer to itself.
  let decoder: Decoder | undefined
  made.set(schema, (value, walk) => (decoder as Decoder)(value, walk))
  decoder = make(schema)
  made.set(schema, decoder)
  return decoder
}

function make(schema: Schema): Decoder {
  const special = byDefinition(schema)
  if (special) return special
  if (schema['x-kubernetes-int-or-string']) return scalars.intOrString
  switch (schema.type) {
    case 'string':
      return schema.format === 'byte' ? scalars.bytes : scalars.string(schema)
    case 'boolean':
      return scalars.boolean
    case 'integer':
      return scalars.integer(schema)
    case 'number':
      return scalars.number
    case 'array':
      return list(schema, schema.items ?? {})
    case 'object':
      return isObject(schema.additionalProperties)
        ? map(schema, schema.additionalProperties as Schema)
        : struct(schema, schema.properties ?? {})
    default:
      return anything
  }
}

const anything: Decoder = (value) => value

function byDefinition(schema: Schema): Decoder | undefined {
  const name = definitionOf(schema)
  switch (name?.split('.').at(-1)) {
    case 'FieldsV1':
    case 'RawExtension':
      return anything
    case 'Time':
      return scalars.time
    case 'MicroTime':
      return scalars.microTime
    case 'Quantity':
      return scalars.quantity
    case 'JSONSchemaPropsOrBool':
      return schemaOrBoolean(definition(`${name}`.replace(/Or\w+$/, '')))
    case 'JSONSchemaPropsOrArray':
    case 'JSONSchemaPropsOrStringArray':
      return schemaOrElse(definition(`${name}`.replace(/Or\w+$/, '')))
    default:
      return undefined
  }
}

/** A schema inside of a CustomResourceDefinition where something else may stand, too. Go reports nothing below it. */
function schemaOrElse(schema: Schema): Decoder {
  const one: Decoder = (value, walk) => (isObject(value) ? decoderOf(schema)(value, walk) : value)
  return (value, walk) => {
    const { isStrict } = walk
    walk.isStrict = false
    const decoded = Array.isArray(value) ? value.map((item) => one(item, walk)) : one(value, walk)
    walk.isStrict = isStrict
    return decoded
  }
}

function schemaOrBoolean(schema: Schema): Decoder {
  const decode = schemaOrElse(schema)
  return (value, walk) => {
    if (isObject(value) || typeof value === 'boolean') return decode(value, walk)
    throw new Unfit('boolean or JSON schema expected')
  }
}

function struct(schema: Schema, properties: Record<string, Schema>): Decoder {
  const type = goType(schema)
  const name = structName(schema)
  const fields = new Map<string, Field>()
  const makeField = (key: string): Field | undefined => {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined
    if (!property) return undefined
    const between = structBetween(schema, key)
    const field = {
      decode: decoderOf(property),
      step: between ? { key, field: `${between}.${key}` } : key,
      isKeptWhenEmpty: !isOmittedWhenEmpty(schema, key, property),
    }
    fields.set(key, field)
    return field
  }
  return (value, walk) => {
    if (!isObject(value)) throw new Unfit('', jsonTypeOf(value), type)
    const outer = walk.struct
    walk.struct = name
    for (const key in value) {
      const field = fields.get(key) ?? makeField(key)
      const sent = value[key]
      if (!field) {
        walk.unknownField(key)
        delete value[key]
        continue
      }
      if (sent === null) {
        delete value[key]
        continue
      }
      walk.enter(field.step)
      const kept = field.decode(sent, walk)
      walk.leave()
      if (kept === undefined || (!field.isKeptWhenEmpty && isEmpty(kept))) delete value[key]
      else if (kept !== sent) value[key] = kept
    }
    walk.struct = outer
    return value
  }
}

interface Field {
  decode: Decoder
  step: Step
  isKeptWhenEmpty: boolean
}

/** Optional lists that Go writes even so: none at all is a value of them beside null. */
const writtenEmpty = new Set(['io.k8s.api.rbac.v1.ClusterRole.rules', 'io.k8s.api.rbac.v1.Role.rules'])

/** Optional lists and maps are not written when they are empty, nor is what ObjectMeta holds. Structs always are. */
function isOmittedWhenEmpty(parent: Schema, key: string, { type, format, additionalProperties }: Schema): boolean {
  if (parent.required?.includes(key) || writtenEmpty.has(`${definitionOf(parent)}.${key}`)) return false
  if (type === 'array' || format === 'byte') return true
  if (type === 'object') return additionalProperties !== undefined
  if (isOmittedWhenZero(parent, key)) return true
  return definitionOf(parent)?.endsWith('.ObjectMeta') === true && key !== 'deletionGracePeriodSeconds'
}

function isEmpty(value: unknown): boolean {
  if (typeof value !== 'object') return value === '' || value === 0 || value === false
  if (Array.isArray(value)) return value.length === 0
  for (const _ in value) return false
  return true
}

function list(schema: Schema, items: Schema): Decoder {
  const type = goType(schema)
  const decode = decoderOf(items)
  return (value, walk) => {
    if (!Array.isArray(value)) throw new Unfit('', jsonTypeOf(value), type)
    for (let index = 0; index < value.length; index++) {
      const sent = value[index] ?? zeroOf(items)
      walk.enter(index)
      const kept = decode(sent, walk)
      walk.leave()
      if (kept !== value[index]) value[index] = kept
    }
    return value
  }
}

function map(schema: Schema, values: Schema): Decoder {
  const type = goType(schema)
  const decode = decoderOf(values)
  const isScalar = values.type !== 'object' && values.type !== 'array'
  return (value, walk) => {
    if (!isObject(value)) throw new Unfit('', jsonTypeOf(value), type)
    for (const key in value) {
      const sent = value[key] ?? zeroOf(values)
      let kept: unknown
      if (isScalar) kept = decode(sent, walk)
      else {
        walk.enter({ key })
        kept = decode(sent, walk)
        walk.leave()
      }
      if (kept !== value[key]) value[key] = kept
    }
    return value
  }
}

/** What Go has where null stands in a list or a map. */
function zeroOf(schema: Schema): unknown {
  const name = definitionOf(schema)
  if (name?.endsWith('.Quantity')) return '0'
  // Any JSON: of an enum in a CustomResourceDefinition.
  if (name?.endsWith('.v1.JSON')) return null
  switch (schema.type) {
    case 'string':
      return ''
    case 'integer':
    case 'number':
      return 0
    case 'boolean':
      return false
    case 'array':
      return []
    default:
      return {}
  }
}
