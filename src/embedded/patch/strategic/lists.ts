import { isObject } from '../../../core/schema/schema.ts'
import { goText } from '../go-text.ts'
import { rejected } from '../patch-failures.ts'
import type { Json } from './directives.ts'
import { hasDirective, patchDirective } from './directives.ts'
import { keyOfItems } from './order.ts'
import { goTypeOf, incomparable, noMergeKey, refused, unexpected, unknownDirective } from './refusals.ts'

/** Whether two lists, which must hold items of one type, hold objects. */
export function areObjects(live: readonly unknown[], changes: readonly unknown[]): boolean {
  const [first, ...others] = [...live, ...changes]
  if (first === undefined) throw refused('no elements in any of the given slices')
  if (first === null) throw incomparable(first)
  if (Array.isArray(first)) throw rejected()
  const type = goTypeOf(first)
  if (others.some((item) => goTypeOf(item) !== type))
    throw refused(`list element types are not identical: ${goText([live, changes])}`)
  return isObject(first)
}

export interface Directed {
  /** Without what the patch deletes or replaces. */
  readonly live: Json[]
  /** Without directives. */
  readonly changes: Json[]
}

/** Obeys the items of a patch that have `$patch`. */
export function obeyDirectives(live: readonly Json[], patch: readonly Json[], mergeKey: string): Directed {
  const deleted = new Set<unknown>()
  let isReplaced = false
  for (const item of patch.filter(hasDirective))
    switch (item[patchDirective]) {
      case 'delete':
        if (!Object.hasOwn(item, mergeKey)) throw noMergeKey(item, mergeKey)
        deleted.add(item[mergeKey])
        break
      case 'replace':
        isReplaced = true
        break
      case 'merge':
        throw refused('merging lists cannot yet be specified in the patch')
      default:
        throw unknownDirective(item[patchDirective], item)
    }
  const changes = patch.filter((item) => !hasDirective(item))
  if (isReplaced) return { live: changes, changes: [] }
  return { live: live.filter((item) => !deleted.has(item[mergeKey])), changes }
}

/** Throws unless the items of a patch stand in the order of `$setElementOrder`, all of them but for the deleted ones. */
export function checkOrder(
  changes: readonly unknown[],
  wanted: readonly unknown[],
  mergeKey: string | undefined,
): void {
  if (changes.length === 0 || wanted.length === 0) return
  const other = mergeKey === undefined ? undefined : changes.find((item) => !isObject(item))
  if (other !== undefined) throw unexpected('map[string]interface {}', other)
  const keyOf = keyOfItems(mergeKey)
  const items = changes.filter((item) => !(isObject(item) && item[patchDirective] === 'delete'))
  let next = 0
  for (let place = 0; next < items.length && place < wanted.length; )
    if (hasDirective(items[next]) || keyOf(items[next]) === keyOf(wanted[place++])) next++
  if (next < items.length)
    throw refused(
      `The order in patch list:\n${goText(changes)}\n doesn't match $setElementOrder list:\n${goText(wanted)}\n`,
    )
}

/** Throws when what should name objects of a list is something else. */
export function checkObjects(list: readonly unknown[]): void {
  const other = list.findIndex((item) => !isObject(item))
  if (other >= 0) throw refused(`value for key ${other} is not a map`)
}
