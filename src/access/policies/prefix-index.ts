import type { Glob } from './glob.ts'

/** Values under patterns. What a text may fit is found by one step for each length that their fixed beginnings have. */
export class PrefixIndex<V> {
  #whole: Map<string, V[]> | undefined
  readonly #prefixes: { readonly length: number; readonly values: Map<string, V[]> }[] = []
  readonly #all: V[] = []

  add({ prefix, isLiteral }: Pick<Glob, 'prefix' | 'isLiteral'>, value: V): void {
    const under = isLiteral ? this.#wholes() : this.#prefixesOf(prefix.length)
    const found = under.get(prefix)
    if (found) found.push(value)
    else under.set(prefix, [value])
    this.#all.push(value)
  }

  /** All that `text` may fit; one that several of its patterns put here may come more than once. */
  collect(text: string, into: V[]): void {
    push(this.#whole?.get(text), into)
    for (const { length, values } of this.#prefixes)
      if (length <= text.length) push(values.get(text.slice(0, length)), into)
  }

  collectAll(into: V[]): void {
    push(this.#all, into)
  }

  #wholes(): Map<string, V[]> {
    this.#whole ??= new Map()
    return this.#whole
  }

  #prefixesOf(length: number): Map<string, V[]> {
    const found = this.#prefixes.find((known) => known.length === length)
    if (found) return found.values
    const values = new Map<string, V[]>()
    this.#prefixes.push({ length, values })
    return values
  }
}

export function push<V>(values: readonly V[] | undefined, into: V[]): void {
  if (values) for (const value of values) into.push(value)
}
