import { isDeepStrictEqual } from 'node:util'
import type { Schema } from '../../core/schema/schema.ts'
import { isObject } from '../../core/schema/schema.ts'

/**
 * A value beside what it was before a write. Fields correlate by their names, items of a list of type `map` by their
 * keys, and items of any other list not at all: what has no counterpart is `undefined` here.
 */
export class Correlated {
  readonly schema: Schema
  readonly value: unknown
  readonly old: unknown
  readonly #children = new Map<string | number, Correlated | undefined>()
  #oldItems: ReadonlyMap<string, unknown> | undefined
  #isUnchanged: boolean | undefined

  constructor(schema: Schema, value: unknown, old: unknown) {
    this.schema = schema
    this.value = value
    this.old = old
  }

  /** The field of this name, if it is declared, there, and was there. */
  key(name: string): Correlated | undefined {
    if (!this.#children.has(name)) this.#children.set(name, this.#correlateKey(name))
    return this.#children.get(name)
  }

  /** The item at this place, if the old list had one of the same keys. */
  index(index: number): Correlated | undefined {
    if (!this.#children.has(index)) this.#children.set(index, this.#correlateIndex(index))
    return this.#children.get(index)
  }

  /** Whether nothing was changed by the write, but for the order of a list whose items correlate. */
  get isUnchanged(): boolean {
    this.#isUnchanged ??= this.#compare()
    return this.#isUnchanged
  }

  #correlateKey(name: string): Correlated | undefined {
    const { schema, value, old } = this
    if (!isObject(value) || !isObject(old) || !Object.hasOwn(value, name) || !Object.hasOwn(old, name)) return undefined
    const declared = declaredField(schema, name)
    return declared && new Correlated(declared, value[name], old[name])
  }

  #correlateIndex(index: number): Correlated | undefined {
    const { schema, value, old } = this
    if (!Array.isArray(value) || !Array.isArray(old) || index >= value.length || !schema.items) return undefined
    const keys = mapKeysOf(schema)
    const identity = keys && identityOf(value[index], keys)
    if (identity === undefined) return undefined
    this.#oldItems ??= byIdentity(old, keys ?? [])
    const before = this.#oldItems.get(identity)
    return before === undefined ? undefined : new Correlated(schema.items, value[index], before)
  }

  #compare(): boolean {
    const { schema, value, old } = this
    if (Array.isArray(value) && Array.isArray(old))
      return mapKeysOf(schema)
        ? value.length === old.length && value.every((_, index) => this.index(index)?.isUnchanged === true)
        : isDeepStrictEqual(value, old)
    if (!isObject(value) || !isObject(old)) return (value ?? null) === (old ?? null)
    // What a schema says nothing about does not correlate, and so never counts as unchanged.
    const names = Object.keys(value)
    return names.length === Object.keys(old).length && names.every((name) => this.key(name)?.isUnchanged === true)
  }
}

/** What a schema says about a field: its own declaration, or the one that all others share. */
export function declaredField({ properties, additionalProperties }: Schema, name: string): Schema | undefined {
  if (properties && Object.hasOwn(properties, name)) return properties[name]
  return isObject(additionalProperties) ? (additionalProperties as Schema) : undefined
}

/** The keys by which the items of a list are told apart; nothing for any other list. */
export function mapKeysOf(schema: Schema): readonly string[] | undefined {
  const keys = schema['x-kubernetes-list-map-keys']
  return schema['x-kubernetes-list-type'] === 'map' && keys?.length ? keys : undefined
}

/** What tells an item from the others, if it has all keys and they are scalar. */
export function identityOf(item: unknown, keys: readonly string[]): string | undefined {
  if (!isObject(item)) return undefined
  const values: unknown[] = []
  for (const key of keys) {
    const value = Object.hasOwn(item, key) ? item[key] : undefined
    if (value === undefined || value === null || typeof value === 'object') return undefined
    values.push(value)
  }
  return JSON.stringify(values)
}

/** Items by what tells them from the others. Of several with the same keys, the first counts. */
export function byIdentity(items: readonly unknown[], keys: readonly string[]): Map<string, unknown> {
  const found = new Map<string, unknown>()
  for (const item of items) {
    const identity = identityOf(item, keys)
    if (identity !== undefined && !found.has(identity)) found.set(identity, item)
  }
  return found
}
