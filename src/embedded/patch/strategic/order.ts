import { isObject } from '../../../core/schema/schema.ts'
import { incomparable, noMergeKey, unexpected } from './refusals.ts'

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

/** What has no place sends Go's sort astray, by insertion: it goes to the front, and so does what comes behind it. */
function sorted(items: readonly Placed[], placeOf: (item: Placed) => number | undefined): Placed[] {
  const placed = items.map((item) => ({ item, place: placeOf(item) }))
  const isEach = placed.every(({ place }) => place !== undefined)
  if (isEach) return placed.sort((a, b) => Number(a.place) - Number(b.place)).map(({ item }) => item)
  const all: typeof placed = []
  for (const next of placed) {
    let at = all.length
    while (at > 0 && (next.place ?? -1) < (all[at - 1]?.place ?? Number.POSITIVE_INFINITY)) at--
    all.splice(at, 0, next)
  }
  return all.map(({ item }) => item)
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
