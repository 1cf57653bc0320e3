import { isObject } from '../../../core/schema/schema.ts'
import type { OpenApiFacts, PublishedSchema } from '../../kinds/facts/openapi.ts'

/**
 * What stands around the schemas of OpenAPI v2. It is for clients that look there for a kind they found nowhere else,
 * so it has no operations: whoever wants those reads v3.
 */
export const frameInVersionTwo = ({ info, securitySchemes }: OpenApiFacts['frame']) => ({
  swagger: '2.0',
  info: info as { title: string; version: string },
  securityDefinitions: securitySchemes,
  security: Object.keys(securitySchemes).map((name) => ({ [name]: [] })),
})

/** A kind with fields that nobody knows is told with none: kubectl would refuse all others. */
export function schemaInVersionTwo(schema: PublishedSchema): PublishedSchema {
  const { type, 'x-kubernetes-preserve-unknown-fields': isOpen, 'x-kubernetes-group-version-kind': kinds } = schema
  return isOpen === true ? { type, 'x-kubernetes-group-version-kind': kinds } : inVersionTwo(schema)
}

const unknownToVersionTwo = ['default', 'nullable', 'allOf', 'anyOf', 'oneOf', 'not']

function inVersionTwo(schema: PublishedSchema): PublishedSchema {
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true
  const isNullable = schema['nullable'] === true
  const dropped = [...unknownToVersionTwo, ...(isOpen || isNullable ? ['items', 'properties'] : [])]
  const kept = Object.entries(schema).filter(([keyword]) => !dropped.includes(keyword))
  const shown: Record<string, unknown> = Object.fromEntries(
    kept.map(([keyword, value]) => [keyword, keyword === 'required' ? demanded(schema) : member(keyword, value)]),
  )
  const [wrapped] = (schema['allOf'] as { $ref?: string }[] | undefined) ?? []
  if (wrapped?.$ref !== undefined) shown['$ref'] = reference(wrapped.$ref)
  const { type, items, required } = shown
  if (isNullable || (isOpen && type === 'object') || (type === 'array' && items === undefined)) delete shown['type']
  if (isNumberAsText(schema)) shown['type'] = 'string'
  if (Array.isArray(required) && required.length === 0) delete shown['required']
  return shown
}

function member(keyword: string, value: unknown): unknown {
  if (keyword === '$ref') return reference(String(value))
  if (!isObject(value)) return value
  if (keyword === 'items' || keyword === 'additionalProperties') return inVersionTwo(value)
  if (keyword !== 'properties') return value
  const properties = Object.entries(value as Record<string, PublishedSchema>)
  return Object.fromEntries(properties.map(([name, part]) => [name, inVersionTwo(part)]))
}

/** Of built-in kinds: a quantity, and an integer or a string. */
const isNumberAsText = ({ oneOf, type, ...schema }: PublishedSchema): boolean =>
  oneOf !== undefined && type === undefined && !('x-kubernetes-int-or-string' in schema)

const reference = (target: string): string => target.replace('#/components/schemas/', '#/definitions/')

/** Null cannot be told, so what may be null is not demanded; nor is what an open object in an object has. */
function demanded(schema: PublishedSchema): string[] {
  const {
    properties = {},
    required,
    additionalProperties,
  } = schema as {
    properties?: Record<string, PublishedSchema>
    required: string[]
    additionalProperties?: PublishedSchema
  }
  if (additionalProperties?.['nullable'] === true) return []
  const isOpenObject = schema['x-kubernetes-embedded-resource'] && schema['x-kubernetes-preserve-unknown-fields']
  return required
    .filter((name) => properties[name]?.['nullable'] !== true)
    .filter((name) => !isOpenObject || (name !== 'kind' && name !== 'apiVersion'))
}
