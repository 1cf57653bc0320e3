const beyondPlain = /[\ud800-\udfff]/

/** By the bytes of UTF-8, as Kubernetes orders keys. `<` compares units of UTF-16, which is another order past U+D7FF. */
export function compareBytes(a: string, b: string): number {
  if (a === b) return 0
  const byUnits = a < b ? -1 : 1
  if (!beyondPlain.test(a) && !beyondPlain.test(b)) return byUnits
  return Buffer.compare(Buffer.from(a), Buffer.from(b)) || byUnits
}

/** Namespaces as they stand in keys, each with its slash: `a-b/` comes before `a/`. */
export const compareNamespaces = (a: string, b: string): number => (a === b ? 0 : compareBytes(`${a}/`, `${b}/`))

type Compare = (a: string, b: string) => number

/** The index of the first that is not before `wanted`. */
export function indexFrom(sorted: readonly string[], wanted: string, compare: Compare): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compare(sorted[middle] as string, wanted) < 0) low = middle + 1
    else high = middle
  }
  return low
}

/** The index of the first that is behind `wanted`. */
export function indexBehind(sorted: readonly string[], wanted: string, compare: Compare): number {
  const index = indexFrom(sorted, wanted, compare)
  return sorted[index] === wanted ? index + 1 : index
}

export function insertSorted(sorted: string[], added: string, compare: Compare): void {
  sorted.splice(indexFrom(sorted, added, compare), 0, added)
}

export function removeSorted(sorted: string[], removed: string, compare: Compare): void {
  const index = indexFrom(sorted, removed, compare)
  if (sorted[index] === removed) sorted.splice(index, 1)
}
