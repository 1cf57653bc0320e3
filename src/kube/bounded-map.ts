/** A map that forgets what was used longest ago once it holds more than `limit`. */
export class BoundedMap<K, V> {
  readonly #limit: number
  readonly #values = new Map<K, V>()

  constructor(limit: number) {
    this.#limit = limit
  }

  get size(): number {
    return this.#values.size
  }

  get(key: K): V | undefined {
    const value = this.#values.get(key)
    if (value !== undefined) this.set(key, value)
    return value
  }

  set(key: K, value: V): void {
    this.#values.delete(key)
    this.#values.set(key, value)
    for (const oldest of this.#values.keys()) {
      if (this.#values.size <= this.#limit) return
      this.#values.delete(oldest)
    }
  }

  delete(key: K): void {
    this.#values.delete(key)
  }
}
