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
import { goTypeOf, refused, unexpected } from './failures.ts'
import { areObjects, checkObjects, checkOrder, obeyDirectives } from './lists.ts'
import { arrange, keyOfItems } from './order.ts'
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
    document[field] = mergeLists(current, change as unknown[], listFieldOf(schema, field), isDeletion)
  else document[field] = isObject(current) ? mergeObjects(current, change as Json, fieldOf(schema, field)) : change
}

function setOrDelete(document: Json, name: string, value: unknown): void {
  if (value === undefined) delete document[name]
  else document[name] = value
}

function mergeLists(live: unknown[], patch: unknown[], field: ListField, isDeletion: boolean): unknown[] {
  const { isMerged, mergeKey } = field
  if (!isMerged && !isDeletion) return patch
  if (live.length === 0 && patch.length === 0) return live
  if (areObjects(live, patch)) return mergeObjectsOf(live as Json[], patch as Json[], field)
  return isDeletion
    ? live.filter((item) => !patch.includes(item))
    : arrange([...new Set([...live, ...patch])], patch, live, keyOfItems(mergeKey))
}

function mergeObjectsOf(all: readonly Json[], patch: readonly Json[], { items, mergeKey }: ListField): unknown[] {
  if (mergeKey === undefined) throw refused('cannot merge lists without merge key for struct')
  const { live, changes } = obeyDirectives(all, patch, mergeKey)
  const keyOf = keyOfItems(mergeKey)
  const merged = [...live]
  for (const change of changes) {
    const key = keyOf(change)
    const at = merged.findIndex((item) => item[mergeKey] === key)
    if (at < 0) merged.push(change)
    else merged[at] = mergeObjects(merged[at] as Json, change, items)
  }
  return arrange(merged, changes, live, keyOf)
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
  const keyOf = keyOfItems(field.mergeKey)
  checkOrder(changes ?? [], wanted, keyOf)
  if (!live && !changes) return
  const merged =
    live && changes ? mergeLists(live, changes, field, false) : (live ?? (withoutDirectives(changes) as unknown[]))
  if (field.mergeKey !== undefined && merged.length > 0) checkObjects(wanted)
  areObjects(live ?? [], changes ?? [])
  document[subject] = arrange(merged, wanted, live ?? [], keyOf)
  delete patch[subject]
}

function listIn(object: Json, name: string): unknown[] | undefined {
  const list = member(object, name)
  if (list !== undefined && !Array.isArray(list)) throw unexpected('[]interface {}', list)
  return list
}
