// Resources as rules name them: `pods`, `pods/exec`, `pods/*`, `*`, `*/scale`.

export interface Kinds {
  /** Without what is below them. */
  readonly names: readonly string[]
  /** `named`: by its own name; `all`: only because the rule is for all of them. */
  fit(resource: string, subresource: string): 'named' | 'all' | 'no'
}

/** What an entry says of what is below, it says itself; the others ask `fitsSubresource`. */
export function kindsOf(resources: readonly string[], fitsSubresource: (subresource: string) => boolean): Kinds {
  const entries = resources.map(parse)
  return {
    names: entries.map(({ kind }) => kind),
    fit(resource, subresource) {
      const fitting = entries.filter(
        ({ kind, below }) =>
          (kind === '*' || kind === resource) &&
          (below === undefined ? fitsSubresource(subresource) : fitsBelow(below, subresource)),
      )
      if (fitting.length === 0) return 'no'
      return fitting.some(({ kind }) => kind !== '*') ? 'named' : 'all'
    },
  }
}

function parse(resource: string): { kind: string; below?: string } {
  const slash = resource.indexOf('/')
  return slash === -1 ? { kind: resource } : { kind: resource.slice(0, slash), below: resource.slice(slash + 1) }
}

const fitsBelow = (below: string, subresource: string): boolean =>
  below === '*' ? subresource !== '' : below === subresource
