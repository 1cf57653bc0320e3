/** Two names for one thing: what the one plane calls `a`, the other calls `b`, always. */
export class Twins {
  readonly #there = new Map<string, string>()
  readonly #back = new Map<string, string>()

  /** Whether these two may be the same thing. If both are new, they are from now on. */
  areSame(a: string, b: string): boolean {
    if (!this.#there.has(a) && !this.#back.has(b)) {
      this.#there.set(a, b)
      this.#back.set(b, a)
    }
    return this.#there.get(a) === b
  }

  twinOf(a: string): string | undefined {
    return this.#there.get(a)
  }
}

/** Twins that grow in the same order on both sides, as revisions do. */
export class OrderedTwins {
  readonly #pairs: (readonly [number, number])[] = []

  areSame(a: number, b: number): boolean {
    const at = this.#countUpTo(a, 0)
    const below = this.#pairs[at - 1]
    if (below?.[0] === a) return below[1] === b
    const above = this.#pairs[at]
    if ((below && b <= below[1]) || (above && b >= above[1])) return false
    this.#pairs.splice(at, 0, [a, b])
    return true
  }

  /** Whether the same of the known ones have been reached: others may have been written behind our back. */
  areEquallyFar(a: number, b: number): boolean {
    return this.#countUpTo(a, 0) === this.#countUpTo(b, 1)
  }

  /** How many of the known ones are not above this. */
  #countUpTo(revision: number, side: 0 | 1): number {
    let [from, to] = [0, this.#pairs.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if (this.#pairs[middle]![side] <= revision) from = middle + 1
      else to = middle
    }
    return from
  }
}
