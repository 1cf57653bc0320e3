import type { Schema } from '../../../core/schema/schema.ts'
import { isObject } from '../../../core/schema/schema.ts'
import { goQuote } from '../../go-quote.ts'
import { structName } from '../../kinds/decode/go-types.ts'
import { refused } from './refusals.ts'

/** What OpenAPI says about patches, which is not what it says about server-side apply: Service ports have other keys. */
type PatchableSchema = Schema & { 'x-kubernetes-patch-strategy'?: string; 'x-kubernetes-patch-merge-key'?: string }

export interface ListField {
  readonly items: Schema
  /** Or else replaced. */
  readonly isMerged: boolean
  /** Tells objects in the list apart. Undefined for lists of values. */
  readonly mergeKey: string | undefined
}

/** As Go finds a field: by its name, or by one that differs in case only. */
export function fieldOf(schema: Schema, name: string): PatchableSchema {
  if (isObject(schema.additionalProperties) || schema.type === 'array')
    throw refused(
      `merging an object in json but data type is not struct, instead is: ${schema.type === 'array' ? 'slice' : 'map'}`,
    )
  const { properties = {} } = schema
  const known = Object.hasOwn(properties, name) ? name : Object.keys(properties).find((key) => isAlike(key, name))
  const field = known === undefined ? undefined : properties[known]
  if (field) return field
  throw refused(`unable to find api field in struct ${structName(schema)} for the json field ${goQuote(name)}`)
}

const isAlike = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

export function listFieldOf(schema: Schema, name: string): ListField {
  const field = fieldOf(schema, name)
  if (field.type !== 'array' && !isStruct(field)) throw refused('expected slice or array type, but got: struct')
  return {
    items: field.items ?? field,
    isMerged: field['x-kubernetes-patch-strategy']?.split(',').includes('merge') ?? false,
    mergeKey: field['x-kubernetes-patch-merge-key'],
  }
}

/** Go takes a pointer for a list, and structs are mostly behind one. */
const isStruct = ({ type, additionalProperties }: Schema): boolean =>
  type === 'object' && !isObject(additionalProperties)
