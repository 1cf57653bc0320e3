import type { Schema } from '../../../core/schema/schema.ts'
import { isObject } from '../../../core/schema/schema.ts'
import { illegalBase64At } from '../../kinds/decode/base64.ts'
import { decoderOf } from '../../kinds/decode/decoder.ts'
import { goType } from '../../kinds/decode/go-types.ts'
import { Unfit } from '../../kinds/decode/unfit.ts'
import { Walk } from '../../kinds/decode/walk.ts'
import { definitionOf } from '../../kinds/facts/schemas.ts'
import { goTypeOf } from './refusals.ts'

/**
 * Why an object cannot be one of its kind, in the words of the real server for a strategic merge patch: what such a
 * patch leaves is not decoded from a text there but converted, which is worded differently. Undefined when it can.
 */
export function whyUnfit(value: unknown, schema: Schema): string | undefined {
  if (value === null || value === undefined) return undefined
  if (definitionOf(schema) !== undefined && schema.properties === undefined) return whyUndecodable(value, schema)
  if (schema['x-kubernetes-int-or-string']) return whyUndecodable(value, schema)
  switch (schema.type) {
    case 'array':
      if (!Array.isArray(value)) return `cannot restore slice from ${kindOf(value)}`
      return first(value, (item) => whyUnfit(item, schema.items ?? {}))
    case 'object':
      return isObject(schema.additionalProperties)
        ? whyUnfitMap(value, schema.additionalProperties as Schema)
        : whyUnfitStruct(value, schema.properties ?? {})
    case 'string':
      return schema.format === 'byte' ? whyUnfitBytes(value) : whyUnfitText(value, goType(schema))
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'unrecognized type: bool'
    case 'integer':
      return whyUnfitInteger(value, goType(schema))
    case 'number':
      return typeof value === 'number' ? undefined : 'unrecognized type: float64'
    default:
      return undefined
  }
}

function whyUnfitStruct(value: unknown, properties: Record<string, Schema>): string | undefined {
  if (!isObject(value)) return `cannot restore struct from: ${kindOf(value)}`
  return first(Object.entries(properties), ([name, field]) => whyUnfit(value[name], field))
}

function whyUnfitMap(value: unknown, values: Schema): string | undefined {
  if (!isObject(value)) return `cannot restore map from ${kindOf(value)}`
  return first(Object.values(value), (item) => whyUnfit(item, values))
}

/** Go would make a character of an integer, which is said in another way than that it knows no way at all. */
function whyUnfitText(value: unknown, type: string): string | undefined {
  if (typeof value === 'string') return undefined
  return Number.isInteger(value) ? `cannot convert int64 to ${type}` : 'unrecognized type: string'
}

function whyUnfitInteger(value: unknown, type: string): string | undefined {
  if (typeof value !== 'number') return `unrecognized type: ${type}`
  return Number.isInteger(value) ? undefined : `cannot convert float64 to ${type}`
}

function whyUnfitBytes(value: unknown): string | undefined {
  if (Array.isArray(value)) return first(value, (item) => whyUnfitInteger(item, 'uint8'))
  if (typeof value !== 'string') return `cannot restore slice from ${kindOf(value)}`
  const at = illegalBase64At(value)
  return at === undefined ? undefined : `error decoding from json: illegal base64 data at input byte ${at}`
}

/** Types that read JSON by themselves: times, quantities, integers or texts. */
function whyUndecodable(value: unknown, schema: Schema): string | undefined {
  const walk = new Walk()
  try {
    decoderOf(schema)(structuredClone(value), walk)
    return undefined
  } catch (error) {
    if (error instanceof Unfit) return walk.explain(error)
    throw error
  }
}

const kindOf = (value: unknown): string => (Array.isArray(value) ? 'slice' : isObject(value) ? 'map' : goTypeOf(value))

function first<T>(items: Iterable<T>, why: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = why(item)
    if (found !== undefined) return found
  }
  return undefined
}
