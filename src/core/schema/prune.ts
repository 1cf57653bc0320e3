import type { Path, Schema } from './schema.ts'
import { isObject } from './schema.ts'

/** Known everywhere an object of the API may be. */
const ofEveryObject = ['apiVersion', 'kind', 'metadata']

export interface Pruned<T> {
  value: T
  /** What was dropped, in the order it was met. */
  unknown: Path[]
}

/**
 * `value` without the fields that the schema does not declare, as the API server stores it. The same value comes
 * back when there is nothing to drop.
 */
export function prune<T>(schema: Schema, value: T): Pruned<T> {
  const unknown: Path[] = []
  return { value: pruned(schema, value, [], unknown) as T, unknown }
}

function pruned(schema: Schema, value: unknown, path: Path, unknown: Path[]): unknown {
  if (Array.isArray(value)) {
    const { items } = schema
    if (!items) return value
    const kept = value.map((item, index) => pruned(items, item, [...path, index], unknown))
    return kept.some((item, index) => item !== value[index]) ? kept : value
  }
  return isObject(value) ? prunedObject(schema, value, path, unknown) : value
}

function prunedObject(schema: Schema, value: Record<string, unknown>, path: Path, unknown: Path[]) {
  const { properties = {}, additionalProperties } = schema
  const keepsAll = schema['x-kubernetes-preserve-unknown-fields'] || additionalProperties === true
  let same = true
  // Entries, not assignments: a field may be called __proto__.
  const kept = Object.entries(value).flatMap(([name, field]): [string, unknown][] => {
    const declared = Object.hasOwn(properties, name) ? properties[name] : additionalProperties
    if (isObject(declared)) {
      const below = pruned(declared, field, [...path, name], unknown)
      same &&= below === field
      return [[name, below]]
    }
    if (keepsAll || (schema['x-kubernetes-embedded-resource'] && ofEveryObject.includes(name))) return [[name, field]]
    unknown.push([...path, name])
    same = false
    return []
  })
  return same ? value : Object.fromEntries(kept)
}
