import type { Schema } from '../../core/schema/schema.ts'
import { isObject } from '../../core/schema/schema.ts'
import { member } from './json.ts'
import { fieldSchema, isEmptyMap, itemElement, itemsOf, shapeOf } from './typed.ts'

/** `live` with what is applied put into it. Neither is changed; the result shares parts of both. */
export function merge(schema: Schema | undefined, live: unknown, applied: unknown): unknown {
  if (applied === undefined) return live
  if (live === undefined) return applied
  const shape = shapeOf(schema, applied === null ? live : applied)
  if (shape === 'map' && isMergeable(live, applied)) return mergeMaps(schema, asMap(live), asMap(applied))
  if (shape === 'items' && (hasItems(live) || hasItems(applied))) return mergeItems(schema, live, applied)
  return applied
}

/** An empty object over an empty one, or null over either, is taken as it is: that keeps null apart from empty. */
const isMergeable = (live: unknown, applied: unknown): boolean =>
  (isObject(live) && !isEmptyMap(live)) || (isObject(applied) && !isEmptyMap(applied))

const hasItems = (value: unknown): boolean => Array.isArray(value) && value.length > 0

const asMap = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {})

function mergeMaps(
  schema: Schema | undefined,
  live: Record<string, unknown>,
  applied: Record<string, unknown>,
): Record<string, unknown> {
  const names = new Set([...Object.keys(live), ...Object.keys(applied)])
  return Object.fromEntries(
    [...names].map((name) => [name, merge(fieldSchema(schema, name), member(live, name), member(applied, name))]),
  )
}

/**
 * The applied items keep their order among themselves, and so do the live ones that are not applied. A live item stays
 * before the next applied one that was behind it.
 */
function mergeItems(schema: Schema | undefined, live: unknown, applied: unknown): unknown[] {
  const [liveItems, appliedItems] = [itemsOf(schema, live), itemsOf(schema, applied)]
  const ours = (Array.isArray(live) ? live : []).map((item) => ({ item, element: itemElement(schema, item) }))
  const theirs = [...appliedItems.keys()]
  const shared = theirs.filter((element) => liveItems.has(element))
  const merged: unknown[] = []
  const done = new Set<string>()
  const take = (element: string) => {
    done.add(element)
    if (shared[0] === element) shared.shift()
    const [was, ...more] = liveItems.get(element) ?? []
    merged.push(merge(schema?.items, more.length > 0 ? undefined : was, appliedItems.get(element)?.[0]))
  }
  let [i, j] = [0, 0]
  while (i < ours.length || j < theirs.length) {
    const our = ours[i]
    const their = theirs[j]
    if (our && their === our.element) {
      take(our.element)
      i++
      j++
    } else if (our && !appliedItems.has(our.element)) {
      merged.push(our.item)
      i++
    } else if (our && their !== undefined && isOutOfTurn(our.element, shared)) {
      i++
    } else {
      if (our && done.has(our.element)) i++
      if (their !== undefined) take(their)
      j++
    }
  }
  return merged
}

/** Its turn comes later, in the order in which it is applied. */
const isOutOfTurn = (element: string, shared: readonly string[]): boolean =>
  shared[0] !== undefined && shared[0] !== element
