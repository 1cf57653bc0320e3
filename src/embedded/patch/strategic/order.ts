import { isObject } from '../../../core/schema/schema.ts'
import { incomparable, noMergeKey, unexpected } from './failures.ts'

/** What tells an item of a list from the others: the value of its merge key, or itself. */
export type KeyOf = (item: unknown) => unknown

export function keyOfItems(mergeKey: string | undefined): KeyOf {
  if (mergeKey === undefined) return comparable
  return (item) => {
    if (!isObject(item)) throw unexpected('map[string]interface {}', item)
    if (!Object.hasOwn(item, mergeKey)) throw noMergeKey(item, mergeKey)
    return comparable(item[mergeKey])
  }
}

function comparable(key: unknown): unknown {
  if (typeof key === 'object' && key !== null) throw incomparable(key)
  return key
}

/**
 * The items of a merged list: those that `wanted` names in its order, the others in that of the live list, and both
 * interleaved so that others stay in front of what they were in front of. What is new comes as early as that allows.
 */
export function arrange(
  merged: readonly unknown[],
  wanted: readonly unknown[],
  live: readonly unknown[],
  keyOf: KeyOf,
): unknown[] {
  const wantedPlaces = placesOf(wanted, keyOf)
  const livePlaces = placesOf(live, keyOf)
  const items = merged.map((item): Placed => {
    const key = keyOf(item)
    return { item, wanted: wantedPlaces.get(key), live: livePlaces.get(key) }
  })
  const named = items.filter(({ wanted }) => wanted !== undefined)
  const others = items.filter(({ wanted }) => wanted === undefined)
  return interleave(
    sorted(others, ({ live }) => live),
    sorted(named, ({ wanted }) => wanted),
  )
}

interface Placed {
  readonly item: unknown
  readonly wanted: number | undefined
  readonly live: number | undefined
}

/** Where each key stands first. */
function placesOf(list: readonly unknown[], keyOf: KeyOf): Map<unknown, number> {
  const places = new Map<unknown, number>()
  for (const [place, item] of list.entries()) {
    const key = keyOf(item)
    if (!places.has(key)) places.set(key, place)
  }
  return places
}

/** By insertion, as Go sorts: what has no place goes to the front, where no sort that is sure of itself would put it. */
function sorted(items: readonly Placed[], placeOf: (item: Placed) => number | undefined): Placed[] {
  const all: Placed[] = []
  for (const item of items) {
    const place = placeOf(item) ?? -1
    let at = all.length
    while (at > 0 && place < (placeOf(all[at - 1] as Placed) ?? Number.POSITIVE_INFINITY)) at--
    all.splice(at, 0, item)
  }
  return all
}

function interleave(others: readonly Placed[], named: readonly Placed[]): unknown[] {
  const all: unknown[] = []
  let next = 0
  for (const { item, live } of named) {
    for (; isInFront(others[next]?.live, live); next++) all.push(others[next]?.item)
    all.push(item)
  }
  return [...all, ...others.slice(next).map(({ item }) => item)]
}

const isInFront = (place: number | undefined, of: number | undefined): boolean =>
  place !== undefined && of !== undefined && place < of
