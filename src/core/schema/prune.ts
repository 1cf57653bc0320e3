import type { Path, Schema } from './schema.ts'
import { isObject } from './schema.ts'

/** Known everywhere an object of the API may be. */
const ofEveryObject = ['apiVersion', 'kind', 'metadata']

/** Knows no field: what stands where the schema says nothing. */
const nothing: Schema = {}

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

function pruned(schema: Schema, value: unknown, path: (string | number)[], unknown: Path[]): unknown {
  if (Array.isArray(value)) return prunedItems(schema, value, path, unknown)
  return isObject(value) ? prunedObject(schema, value, path, unknown) : value
}

function prunedItems(schema: Schema, value: unknown[], path: (string | number)[], unknown: Path[]): unknown[] {
  const { items } = schema
  if (!items && schema['x-kubernetes-preserve-unknown-fields']) return value
  let kept: unknown[] | undefined
  for (let index = 0; index < value.length; index++) {
    path.push(index)
    const item = pruned(items ?? nothing, value[index], path, unknown)
    path.pop()
    if (item === value[index]) continue
    kept ??= [...value]
    kept[index] = item
  }
  return kept ?? value
}

function prunedObject(schema: Schema, value: Record<string, unknown>, path: (string | number)[], unknown: Path[]) {
  const { properties, additionalProperties } = schema
  const keepsAll = schema['x-kubernetes-preserve-unknown-fields']
  const isEmbedded = schema['x-kubernetes-embedded-resource']
  let same = true
  const kept: [string, unknown][] = []
  for (const name of Object.keys(value)) {
    const field = value[name]
    const declared = properties && Object.hasOwn(properties, name) ? properties[name] : additionalProperties
    if (isEmbedded && ofEveryObject.includes(name)) {
      // Metadata has a form of its own, whatever the schema says of it.
      kept.push([name, field])
    } else if (isObject(declared) || declared === true) {
      path.push(name)
      const below = pruned(declared === true ? nothing : declared, field, path, unknown)
      path.pop()
      same &&= below === field
      kept.push([name, below])
    } else if (keepsAll || declared === false) {
      kept.push([name, field])
    } else {
      unknown.push([...path, name])
      same = false
    }
  }
  // Entries, not assignments: a field may be called __proto__.
  return same ? value : Object.fromEntries(kept)
}
