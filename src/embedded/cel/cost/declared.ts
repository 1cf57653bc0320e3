import type { Schema } from '../../../core/schema/schema.ts'
import { isObject } from '../../../core/schema/schema.ts'
import { escapeName } from '../escape.ts'

/** The largest body of a request. What is not bounded by a schema is bounded by what fits into it. */
export const mostRequestBytes = 3 * 1024 * 1024

type Scalar = 'bool' | 'bytes' | 'double' | 'duration' | 'dyn' | 'int' | 'string' | 'timestamp'

/** What a schema lets expressions see of a value, and how large it can be. */
export interface Declared {
  readonly type: Scalar | 'list' | 'map' | 'object'
  /** The most characters, items or entries; 0 where there are none to count. */
  readonly mostElements: number
  /** The shortest way to write such a value in JSON. */
  readonly leastBytes: number
  readonly fields?: ReadonlyMap<string, Declared>
  readonly key?: Declared
  readonly item?: Declared
}

const isEmbedded = (schema: Schema): boolean => schema['x-kubernetes-embedded-resource'] === true

/** Nothing for what expressions do not see. A root is an object of the API, or one embedded in another. */
export function declare(schema: Schema, isRoot: boolean): Declared | undefined {
  if (schema['x-kubernetes-int-or-string']) return scalar('dyn', 1, mostCharacters(schema))
  switch (schema.type) {
    case 'array':
      return declareList(schema)
    case 'object':
      return declareObject(isRoot ? withTypeAndName(schema) : schema)
    case 'string':
      return declareString(schema)
    case 'boolean':
      return scalar('bool', 4)
    case 'number':
      return scalar('double', 1)
    case 'integer':
      return scalar('int', 1)
    default:
      return undefined
  }
}

const scalar = (type: Scalar, leastBytes: number, mostElements = 0): Declared => ({ type, leastBytes, mostElements })

const mostOf = (limit: number | undefined, itemBytes: number): number =>
  limit === undefined ? Math.floor((mostRequestBytes - 2) / itemBytes) : Math.max(0, limit)

function declareList({ items, maxItems }: Schema): Declared | undefined {
  const item = items && declare(items, isEmbedded(items))
  return item && { type: 'list', item, leastBytes: 2, mostElements: mostOf(maxItems, item.leastBytes + 1) }
}

/** The length of a key counts for nothing, as Kubernetes has it. */
const mapKey = scalar('string', 2)

function declareObject(schema: Schema): Declared | undefined {
  const { additionalProperties: values, maxProperties } = schema
  if (!isObject(values)) return declareFields(schema)
  const item = declare(values as Schema, isEmbedded(values as Schema))
  return (
    item && { type: 'map', key: mapKey, item, leastBytes: 2, mostElements: mostOf(maxProperties, item.leastBytes + 6) }
  )
}

function declareFields({ properties = {}, required = [] }: Schema): Declared {
  const fields = new Map<string, Declared>()
  let leastBytes = 2
  for (const [name, schema] of Object.entries(properties)) {
    const field = declare(schema, isEmbedded(schema))
    if (!field) continue
    const escaped = escapeName(name)
    if (escaped !== undefined) fields.set(escaped, field)
    if (required.includes(name) && schema.default === undefined)
      leastBytes += Buffer.byteLength(name) + field.leastBytes + 4
  }
  return { type: 'object', fields, leastBytes, mostElements: 0 }
}

function declareString(schema: Schema): Declared {
  switch (schema.format) {
    case 'byte':
      return scalar('bytes', 2, schema.maxLength === undefined ? mostRequestBytes - 2 : Math.max(0, schema.maxLength))
    case 'duration':
      return scalar('duration', 3, 32)
    case 'date':
      return scalar('timestamp', 12, 12)
    case 'date-time':
      return scalar('timestamp', 21, 32)
    default:
      return scalar('string', 2, mostCharacters(schema))
  }
}

/** A character may take four bytes. */
function mostCharacters(schema: Schema): number {
  if (schema.maxLength !== undefined) return Math.max(0, schema.maxLength) * 4
  const isEnum = !schema['x-kubernetes-int-or-string'] && schema.enum !== undefined && schema.enum.length > 0
  if (!isEnum) return mostRequestBytes - 2
  return Math.max(0, ...(schema.enum ?? []).map((value) => (typeof value === 'string' ? Buffer.byteLength(value) : 0)))
}

const text: Schema = { type: 'string' }

/** Of an object's metadata, its names are seen, whatever the schema says. */
function withTypeAndName(schema: Schema): Schema {
  const { kind, apiVersion, metadata } = schema.properties ?? {}
  const { name, generateName } = metadata?.properties ?? {}
  const isDeclared =
    metadata?.type === 'object' && [kind, apiVersion, name, generateName].every((field) => field?.type === 'string')
  if (isDeclared) return schema
  const named: Schema = { type: 'object', properties: { name: text, generateName: text } }
  return { ...schema, properties: { ...schema.properties, kind: text, apiVersion: text, metadata: named } }
}
