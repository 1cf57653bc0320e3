import { timingSafeEqual } from 'node:crypto'
import { inspect } from 'node:util'

/** How a hidden value prints. */
export const hidden = '***'

/**
 * A value that must not be shown. It prints as *** in logs, errors, templates, JSON and the inspector;
 * only `reveal()`, called at the boundary that needs the bytes, gives it away.
 */
export class Secret<T extends string | Uint8Array = string> {
  readonly #value: T

  private constructor(value: T) {
    this.#value = value
  }

  // Overloads, so that a literal makes a Secret<string> and not one that names its value in its type.
  static of(value: string): Secret<string>
  static of<T extends Uint8Array>(value: T): Secret<T>
  static of(value: string | Uint8Array): Secret<string | Uint8Array> {
    return new Secret(value)
  }

  reveal(): T {
    return this.#value
  }

  /** Constant-time for equal lengths. */
  equals(other: Secret<T>): boolean {
    const [a, b] = [Buffer.from(this.#value), Buffer.from(other.#value)]
    return a.length === b.length && timingSafeEqual(a, b)
  }

  toString(): string {
    return hidden
  }

  toJSON(): string {
    return hidden
  }

  [Symbol.toPrimitive](): string {
    return hidden
  }

  [inspect.custom](): string {
    return hidden
  }
}
