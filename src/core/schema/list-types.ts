import type { Problem } from './check.ts'
import type { Schema } from './schema.ts'
import { isObject, sortedJson } from './schema.ts'

/** Adds what `x-kubernetes-list-type` holds against the lists in a value, at every depth. */
export function visitLists(schema: Schema, value: unknown, at: (string | number)[], found: Problem[]): void {
  if (Array.isArray(value)) {
    visitList(schema, value, at, found)
    const { items } = schema
    if (items)
      for (let index = 0; index < value.length; index++) {
        at.push(index)
        visitLists(items, value[index], at, found)
        at.pop()
      }
    return
  }
  if (!isObject(value)) return
  const { properties, additionalProperties } = schema
  if (!properties && !isObject(additionalProperties)) return
  for (const name of Object.keys(value)) {
    const declared = properties && Object.hasOwn(properties, name) ? properties[name] : additionalProperties
    if (!isObject(declared)) continue
    at.push(name)
    visitLists(declared, value[name], at, found)
    at.pop()
  }
}

function visitList(schema: Schema, value: unknown[], at: readonly (string | number)[], found: Problem[]): void {
  const listType = schema['x-kubernetes-list-type']
  if (listType !== 'map' && listType !== 'set' && !schema.uniqueItems) return
  const keys = listType === 'map' ? (schema['x-kubernetes-list-map-keys'] ?? []) : undefined
  const alien = keys ? value.findIndex((item) => item !== null && !isObject(item)) : -1
  // Then nothing else is said of this list.
  if (alien !== -1) {
    found.push({ path: [...at, alien], keyword: 'listItem', value: value[alien] })
    return
  }
  /** How often each was met: a value is told once, however many more there are. */
  const met = new Map<string, number>()
  value.forEach((item, index) => {
    if (keys && item === null) return
    const identity = keys ? keysOf(item as Record<string, unknown>, keys, schema) : item
    const text = sortedJson(identity)
    const times = met.get(text) ?? 0
    met.set(text, times + 1)
    if (times === 1) found.push({ path: [...at, index], keyword: 'unique', value: identity })
  })
}

/** A key that is left out counts with its default. */
function keysOf(item: Record<string, unknown>, keys: readonly string[], { items }: Schema): Record<string, unknown> {
  const found: Record<string, unknown> = {}
  for (const key of keys) {
    const value = item[key] ?? items?.properties?.[key]?.default
    if (value !== undefined) found[key] = value
  }
  return found
}
