import type { Key } from '../../kube/objects.ts'

/** `undefined`: it is not there. */
export type Version = string | undefined

/**
 * Writes of this process to Secrets that it also watches. What the watch tells of one while it is under way may be the
 * write itself, whose version is known only with its answer: it is put off until then.
 */
export class OwnWrites {
  readonly #underway = new Map<Key, { writes: number; told?: { version: Version } }>()
  readonly #later: (key: Key, version: Version) => void

  /** `later` is told what was put off last. */
  constructor(later: (key: Key, version: Version) => void) {
    this.#later = later
  }

  /** Whether the news is put off. */
  defers(key: Key, version: Version): boolean {
    const found = this.#underway.get(key)
    if (!found) return false
    found.told = { version }
    return true
  }

  async during<R>(key: Key, write: () => Promise<R>): Promise<R> {
    const entry = this.#underway.get(key) ?? { writes: 0 }
    this.#underway.set(key, entry)
    entry.writes += 1
    try {
      return await write()
    } finally {
      entry.writes -= 1
      if (entry.writes === 0) {
        this.#underway.delete(key)
        if (entry.told) this.#later(key, entry.told.version)
      }
    }
  }
}
