import type { Schema } from '../../../core/schema/schema.ts'
import { isObject } from '../../../core/schema/schema.ts'

/** How a schema stands in the one around it. A nested one only adds checks: it is inside of allOf, anyOf, oneOf or not. */
export type Role = 'root' | 'field' | 'items' | 'values' | 'nested'

export interface Node {
  readonly schema: Schema
  /** `spec.validation.openAPIV3Schema.properties[spec]` */
  readonly field: string
  readonly role: Role
  /** Describes the metadata of an object, or a part of it: that has fields of its own, whatever is said here. */
  readonly isMetadata: boolean
}

/** The schema and all that is in it, parents first. */
export function* nodesOf(schema: Schema, field: string, role: Role = 'root', isMetadata = false): Generator<Node> {
  yield { schema, field, role, isMetadata }
  const under = (given: Role): Role => (role === 'nested' ? 'nested' : given)
  const isObjectOfApi = role === 'root' || schema['x-kubernetes-embedded-resource'] === true
  for (const [name, part] of Object.entries(schema.properties ?? {}))
    if (isObject(part))
      yield* nodesOf(
        part as Schema,
        `${field}.properties[${name}]`,
        under('field'),
        isMetadata || (isObjectOfApi && name === 'metadata'),
      )
  if (isObject(schema.items)) yield* nodesOf(schema.items, `${field}.items`, under('items'), isMetadata)
  if (isObject(schema.additionalProperties) && role !== 'nested')
    yield* nodesOf(schema.additionalProperties, `${field}.additionalProperties`, 'values', isMetadata)
  for (const word of ['allOf', 'anyOf', 'oneOf'] as const)
    for (const [index, part] of (schema[word] ?? []).entries())
      yield* nodesOf(part, `${field}.${word}[${index}]`, 'nested', isMetadata)
  if (schema.not) yield* nodesOf(schema.not, `${field}.not`, 'nested', isMetadata)
}
