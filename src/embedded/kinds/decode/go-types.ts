import type { Schema } from '../../../core/schema/schema.ts'
import { definitionOf, typeNameOf } from '../facts/schemas.ts'

/** `Container` for `io.k8s.api.core.v1.Container`. */
export const structName = (schema: Schema): string => definitionOf(schema)?.split('.').at(-1) ?? ''

/** The Go type of a field, which messages about values that do not fit name. */
export function goType(schema: Schema): string {
  const definition = definitionOf(schema)
  const named = typeNameOf(schema)
  if (named) return named
  if (schema['x-kubernetes-int-or-string']) return 'int32'
  if (definition?.endsWith('Time')) return 'string'
  if (definition) return definition.split('.').slice(-2).join('.')
  switch (schema.type) {
    case 'array':
      return `[]${goType(schema.items ?? {})}`
    case 'object':
      return `map[string]${goType(typeof schema.additionalProperties === 'object' ? schema.additionalProperties : {})}`
    case 'boolean':
      return 'bool'
    case 'integer':
      return schema.format ?? 'int64'
    case 'number':
      return 'float64'
    case 'string':
      return schema.format === 'byte' ? '[]uint8' : 'string'
    default:
      return 'interface {}'
  }
}

/** What Go calls a value of JSON. */
export function jsonTypeOf(value: unknown): string {
  if (typeof value === 'boolean') return 'bool'
  return Array.isArray(value) ? 'array' : typeof value
}
