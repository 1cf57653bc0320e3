import type { Schema } from './schema.ts'
import { isObject } from './schema.ts'

/**
 * `value` without the nulls that the schema does not allow, as the API server takes them: in a declared field, null
 * is the same as nothing. Defaults come first (see defaults.ts). The same value comes back when there is none.
 */
export function withoutNulls<T>(schema: Schema, value: T): T {
  return cleared(schema, value) as T
}

function cleared(schema: Schema, value: unknown): unknown {
  if (Array.isArray(value)) {
    const { items } = schema
    if (!items) return value
    const kept = value.map((item) => cleared(items, item))
    return kept.some((item, index) => item !== value[index]) ? kept : value
  }
  if (!isObject(value)) return value
  const { properties, additionalProperties } = schema
  let same = true
  const kept: [string, unknown][] = []
  for (const name of Object.keys(value)) {
    const declared = properties && Object.hasOwn(properties, name) ? properties[name] : additionalProperties
    const field = value[name]
    if (!isObject(declared)) {
      kept.push([name, field])
      continue
    }
    if (field === null && !(declared as Schema).nullable) {
      same = false
      continue
    }
    const below = cleared(declared, field)
    same &&= below === field
    kept.push([name, below])
  }
  return same ? value : Object.fromEntries(kept)
}
