/** A list that its schema calls a set, or a map whose keys these fields hold, by the names that expressions use. */
export type ListKind = { readonly type: 'set' } | { readonly type: 'map'; readonly keys: readonly string[] }

const kinds = new WeakMap<readonly unknown[], ListKind>()

export const listKindOf = (list: readonly unknown[]): ListKind | undefined => kinds.get(list)

/** Equal whatever the order; `+` adds what is not there. */
export const asSetList = <T extends unknown[]>(list: T): T => marked(list, { type: 'set' })

/** Equal whatever the order; `+` replaces what has the same key, in its place. */
export const asMapList = <T extends unknown[]>(list: T, keys: readonly string[]): T =>
  marked(list, { type: 'map', keys })

function marked<T extends unknown[]>(list: T, kind: ListKind): T {
  kinds.set(list, kind)
  return list
}

function keyOf(kind: ListKind, item: unknown): string {
  if (kind.type === 'set') return keyText(item)
  return JSON.stringify(kind.keys.map((key) => keyText(item instanceof Map ? item.get(key) : undefined)))
}

const keyText = (value: unknown): string => `${typeof value} ${String(value)}`

/** As the kind of the list on the left has it. */
export function equalLists(
  kind: ListKind,
  a: readonly unknown[],
  b: readonly unknown[],
  areEqual: (one: unknown, other: unknown) => boolean,
): boolean {
  if (a.length !== b.length) return false
  const byKey = new Map(a.map((item) => [keyOf(kind, item), item]))
  return b.every((item) => {
    const key = keyOf(kind, item)
    return byKey.has(key) && (kind.type === 'set' || areEqual(byKey.get(key), item))
  })
}

/** `a + b`, of the kind of the list on the left. */
export function joinLists(a: readonly unknown[], b: readonly unknown[]): unknown[] {
  const kind = listKindOf(a)
  if (!kind) return [...a, ...b]
  const joined = new Map(a.map((item) => [keyOf(kind, item), item]))
  for (const item of b) {
    const key = keyOf(kind, item)
    if (kind.type === 'map' || !joined.has(key)) joined.set(key, item)
  }
  return marked([...joined.values()], kind)
}
