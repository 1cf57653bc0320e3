import type { Schema } from '../../../core/schema/schema.ts'
import { isObject } from '../../../core/schema/schema.ts'
import { member } from '../json.ts'
import type { Json } from './directives.ts'
import {
  asNew,
  deletionPrefix,
  hasDirective,
  orderPrefix,
  replacement,
  retainKeys,
  subjectOf,
  withoutDirectives,
} from './directives.ts'
import { areObjects, checkObjects, checkOrder, obeyDirectives } from './lists.ts'
import { arrange, keyOfItems } from './order.ts'
import { goTypeOf, refused, unexpected } from './refusals.ts'
import type { ListField } from './schema-fields.ts'
import { fieldOf, listFieldOf } from './schema-fields.ts'

/**
 * What a strategic merge patch makes of an object: a merge patch that merges lists, too, by the keys that the schema of
 * a built-in kind names, and obeys directives. Takes both over; what failures show of the patch is what is left of it.
 */
export function applyStrategicMergePatch(document: Json, patch: Json, schema: Schema): Json {
  return mergeObjects(document, patch, schema)
}

function mergeObjects(document: Json, patch: Json, schema: Schema): Json {
  if (hasDirective(patch)) return replacement(patch)
  retainKeys(document, patch)
  for (const name of Object.keys(patch)) if (name.startsWith(orderPrefix)) mergeInOrder(document, patch, name, schema)
  for (const name of Object.keys(patch)) mergeMember(document, patch, name, schema)
  return document
}

function mergeMember(document: Json, patch: Json, name: string, schema: Schema): void {
  const isDeletion = name.startsWith(deletionPrefix)
  const field = isDeletion ? subjectOf(name, deletionPrefix) : name
  const change = patch[name]
  const current = member(document, field)
  if (change === null) delete document[field]
  else if (current === undefined || goTypeOf(current) !== goTypeOf(change)) {
    if (!isDeletion) setOrDelete(document, field, asNew(change))
  } else if (Array.isArray(current))
    document[field] = mergeLists(current, change as unknown[], listFieldOf(schema, field), isDeletion).items
  else document[field] = isObject(current) ? mergeObjects(current, change as Json, fieldOf(schema, field)) : change
}

function setOrDelete(document: Json, name: string, value: unknown): void {
  if (value === undefined) delete document[name]
  else document[name] = value
}

interface MergedList {
  readonly items: unknown[]
  /** Where the live list has them. The real server merges in place: new items stand where deleted ones made room. */
  readonly live: readonly unknown[]
}

function mergeLists(live: unknown[], patch: unknown[], field: ListField, isDeletion: boolean): MergedList {
  if (!field.isMerged && !isDeletion) return { items: patch, live }
  if (live.length === 0 && patch.length === 0) return { items: live, live }
  if (areObjects(live, patch)) return mergeObjectLists(live as Json[], patch as Json[], field)
  const named = new Set(patch)
  if (isDeletion) return { items: live.filter((item) => !named.has(item)), live }
  return { items: arrange([...new Set(live).union(named)], patch, live, keyOfItems(field.mergeKey)), live }
}

function mergeObjectLists(all: readonly Json[], patch: readonly Json[], { items, mergeKey }: ListField): MergedList {
  if (mergeKey === undefined) throw refused('cannot merge lists without merge key for struct')
  const { live, changes } = obeyDirectives(all, patch, mergeKey)
  const keyOf = keyOfItems(mergeKey)
  const merged = [...live]
  const places = new Map(merged.map((item, place) => [member(item, mergeKey), place] as const).reverse())
  for (const change of changes) {
    const place = places.get(keyOf(change))
    const current = place === undefined ? undefined : merged[place]
    if (place !== undefined && current) merged[place] = mergeObjects(current, change, items)
    else places.set(keyOf(change), merged.push(change) - 1)
  }
  return { items: arrange(merged, changes, live, keyOf), live: merged.slice(0, all.length) }
}

/** Merges the list that a `$setElementOrder` is about, and orders it by that. */
function mergeInOrder(document: Json, patch: Json, name: string, schema: Schema): void {
  const wanted = patch[name]
  delete patch[name]
  if (!Array.isArray(wanted)) throw unexpected('[]interface {}', wanted)
  const subject = subjectOf(name, orderPrefix)
  const live = listIn(document, subject)
  const changes = listIn(patch, subject)
  const field = listFieldOf(schema, subject)
  checkOrder(changes ?? [], wanted, field.mergeKey)
  if (!live && !changes) return
  const merged = mergeIfBoth(live, changes, field)
  if (field.mergeKey !== undefined && merged.items.length > 0) checkObjects(wanted)
  areObjects(live ?? [], changes ?? [])
  document[subject] = arrange(merged.items, wanted, merged.live, keyOfItems(field.mergeKey))
  delete patch[subject]
}

function mergeIfBoth(live: unknown[] | undefined, changes: unknown[] | undefined, field: ListField): MergedList {
  if (!live) return { items: withoutDirectives(changes) as unknown[], live: [] }
  return changes ? mergeLists(live, changes, field, false) : { items: live, live }
}

function listIn(object: Json, name: string): unknown[] | undefined {
  const list = member(object, name)
  if (list !== undefined && !Array.isArray(list)) throw unexpected('[]interface {}', list)
  return list
}
