/** What a provider said of a group. `failed`: why it said nothing; what it said before still counts. */
export interface GroupAnswer {
  readonly at: number
  /** Undefined: there is no such group, or nothing was ever said. */
  readonly members: readonly string[] | undefined
  readonly failed?: string
}

/** What providers said, by their name and by group. In memory: what was written into a status outlives the process. */
export class GroupAnswers {
  readonly #providers = new Map<string, { basis: string; groups: Map<string, GroupAnswer> }>()

  /** Of a provider as it is now; what was said when it was another is forgotten. */
  of(provider: string, basis: string): Map<string, GroupAnswer> {
    const known = this.#providers.get(provider)
    if (known?.basis === basis) return known.groups
    const groups = new Map<string, GroupAnswer>()
    this.#providers.set(provider, { basis, groups })
    return groups
  }

  get(provider: string, group: string): GroupAnswer | undefined {
    return this.#providers.get(provider)?.groups.get(group)
  }

  forget(provider: string): void {
    this.#providers.delete(provider)
  }
}
