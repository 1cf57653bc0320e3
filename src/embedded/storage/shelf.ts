import { compareBytes, indexBehind, insertSorted, removeSorted } from './order.ts'
import type { Entry } from './store.ts'

/** What stood in other states at an earlier revision, by name; undefined for what was not there. */
export type EarlierStates = ReadonlyMap<string, Entry | undefined>

const noneEarlier: EarlierStates = new Map()

export interface Taking {
  limit: number
  after?: string | undefined
  /** Take what was there then. */
  earlier?: EarlierStates | undefined
}

/** The objects of one storage in one namespace. */
export class Shelf {
  readonly #entries = new Map<string, Entry>()
  /** Sorted when a list first asks for it, and kept so from then on: most updates leave it alone. */
  #names: string[] | undefined

  get size(): number {
    return this.#entries.size
  }

  get(name: string): Entry | undefined {
    return this.#entries.get(name)
  }

  put(entry: Entry): void {
    const { name } = entry
    if (this.#names && !this.#entries.has(name)) insertSorted(this.#names, name, compareBytes)
    this.#entries.set(name, entry)
  }

  remove(name: string): void {
    if (this.#entries.delete(name) && this.#names) removeSorted(this.#names, name, compareBytes)
  }

  /** Adds up to `limit` entries behind `after` (from the first without it) to `page`; how many are left over. */
  take(page: Entry[], { limit, after, earlier }: Taking): number {
    const names = this.#namesAsOf(earlier)
    const start = after === undefined ? 0 : indexBehind(names, after, compareBytes)
    const end = Math.min(names.length, start + limit)
    for (let index = start; index < end; index++) {
      const name = names[index] as string
      const entry = earlier?.has(name) ? earlier.get(name) : this.#entries.get(name)
      if (entry) page.push(entry)
    }
    return names.length - end
  }

  #namesAsOf(earlier: EarlierStates = noneEarlier): readonly string[] {
    this.#names ??= [...this.#entries.keys()].sort(compareBytes)
    const [gone, yetToCome]: [string[], Set<string>] = [[], new Set()]
    for (const [name, entry] of earlier)
      if (this.#entries.has(name) !== (entry !== undefined)) {
        if (entry) gone.push(name)
        else yetToCome.add(name)
      }
    if (gone.length === 0 && yetToCome.size === 0) return this.#names
    return [...this.#names.filter((name) => !yetToCome.has(name)), ...gone].sort(compareBytes)
  }
}
