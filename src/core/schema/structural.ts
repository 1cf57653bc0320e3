import type { TSchema } from 'typebox'
import type { Path, Schema } from './schema.ts'
import { isObject, pathText } from './schema.ts'

/** Copied as they are. What is neither here nor handled below is a mistake of the declaration and is said so. */
const plainKeywords = [
  'title',
  'description',
  'default',
  'nullable',
  'format',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'x-kubernetes-int-or-string',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-validations',
] as const satisfies (keyof Schema)[]

const handledKeywords = new Set<string>([
  ...plainKeywords,
  ...['type', 'properties', 'required', 'items', 'enum', 'const', 'anyOf', 'patternProperties', 'additionalProperties'],
  ...['exclusiveMinimum', 'exclusiveMaximum', 'examples', 'readOnly'],
])

type Node = Record<string, unknown>

/** What a typebox declaration means as a structural schema. Throws a TypeError that names the place when it means none. */
export function structural(declared: TSchema, path: Path = []): Schema {
  const node = declared as Node
  const fail = (why: string) => new TypeError(`${pathText(path) || 'the schema'} ${why}`)
  for (const keyword of Object.keys(node))
    if (!handledKeywords.has(keyword) && !keyword.startsWith('x-lanyard-'))
      throw fail(`uses ${keyword}, which a structural schema cannot say`)
  const { description, ...rest } = plain(node)
  return {
    ...(description !== undefined && { description }),
    ...shapeOf(node, path, fail),
    ...rest,
    ...exclusiveLimits(node),
  }
}

function plain(node: Node): Partial<Schema> {
  const copied: Node = {}
  for (const keyword of plainKeywords) if (node[keyword] !== undefined) copied[keyword] = node[keyword]
  return copied
}

/** OpenAPI 3.0 has a flag beside the limit where JSON Schema has a limit of its own. */
function exclusiveLimits({ exclusiveMinimum, exclusiveMaximum }: Node): Schema {
  return {
    ...(typeof exclusiveMinimum === 'number' && { minimum: exclusiveMinimum, exclusiveMinimum: true }),
    ...(typeof exclusiveMaximum === 'number' && { maximum: exclusiveMaximum, exclusiveMaximum: true }),
  }
}

function shapeOf(node: Node, path: Path, fail: (why: string) => Error): Schema {
  if (node['x-kubernetes-int-or-string']) return {}
  if (Array.isArray(node['anyOf'])) return unionOf(node['anyOf'] as Node[], path, fail)
  const values = 'const' in node ? [node['const']] : node['enum']
  if (Array.isArray(values)) return { type: typeOfAll(values, fail), enum: [...values] }
  switch (node['type']) {
    case 'object':
      return objectOf(node, path, fail)
    case 'array':
      return { type: 'array', items: structural(node['items'] as TSchema, [...path, '[]']) }
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
      return { type: node['type'] }
    case undefined:
      return { 'x-kubernetes-preserve-unknown-fields': true }
    default:
      throw fail(`is of type ${node['type']}, which a structural schema cannot say`)
  }
}

/** Literals are an enum, `T | null` is a nullable T, `integer | string` is int-or-string. No other union is structural. */
function unionOf(members: Node[], path: Path, fail: (why: string) => Error): Schema {
  const rest = members.filter((member) => member['type'] !== 'null')
  const nullable: Schema = rest.length < members.length ? { nullable: true } : {}
  const [only] = rest
  if (rest.length === 1 && only) return { ...structural(only, path), ...nullable }
  if (rest.every((member) => 'const' in member)) {
    const values = rest.map((member) => member['const'])
    return { type: typeOfAll(values, fail), enum: values, ...nullable }
  }
  const types = rest
    .map((member) => member['type'])
    .sort()
    .join()
  if (types === 'integer,string') return { 'x-kubernetes-int-or-string': true, ...nullable }
  throw fail('is a union that a structural schema cannot say; use literals, T | null, or IntOrString')
}

function typeOfAll(
  values: readonly unknown[],
  fail: (why: string) => Error,
): 'string' | 'integer' | 'number' | 'boolean' {
  const types = new Set(values.map((value) => (Number.isInteger(value) ? 'integer' : typeof value)))
  const [type] = types
  if (types.size === 1 && (type === 'string' || type === 'integer' || type === 'number' || type === 'boolean'))
    return type
  throw fail('lists values of several types')
}

function objectOf(node: Node, path: Path, fail: (why: string) => Error): Schema {
  if (isObject(node['additionalProperties']))
    return { type: 'object', additionalProperties: structural(node['additionalProperties'], [...path, '{}']) }
  if (isObject(node['patternProperties'])) {
    const [[pattern, value] = ['', {}], ...more] = Object.entries(node['patternProperties'])
    if (pattern !== '^.*$' || more.length > 0) throw fail('is a record whose keys are not plain strings')
    return { type: 'object', additionalProperties: structural(value as TSchema, [...path, '{}']) }
  }
  // What is not declared is pruned in any case, so there is nothing to forbid.
  if (node['additionalProperties'] !== undefined) throw fail('has additionalProperties that are no schema')
  const properties = Object.entries((node['properties'] ?? {}) as Record<string, TSchema>)
  if (properties.length === 0) return { type: 'object' }
  return {
    type: 'object',
    properties: Object.fromEntries(properties.map(([name, field]) => [name, structural(field, [...path, name])])),
    ...(Array.isArray(node['required']) && node['required'].length > 0 && { required: [...node['required']] }),
  }
}
