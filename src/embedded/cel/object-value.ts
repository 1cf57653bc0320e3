/** What an ObjectValue needs to know about the fields of its type. */
export interface ObjectShape {
  /** The field of this name, as expressions write it, as a value of CEL. Undefined if it is not there, or null. */
  read(raw: Readonly<Record<string, unknown>>, name: string): unknown
  /** As Kubernetes compares objects: declared fields as what they are, others as they stand in JSON. */
  equals(one: Readonly<Record<string, unknown>>, other: Readonly<Record<string, unknown>>): boolean
}

/**
 * An object whose fields a schema declares, as expressions see it. A Map, because the library reads fields of Maps;
 * but a field becomes a value of CEL only when it is asked for, once.
 */
export class ObjectValue extends Map<string, unknown> {
  readonly raw: Readonly<Record<string, unknown>>
  readonly #shape: ObjectShape

  constructor(raw: Readonly<Record<string, unknown>>, shape: ObjectShape) {
    super()
    this.raw = raw
    this.#shape = shape
  }

  override get(name: string): unknown {
    if (!super.has(name)) super.set(name, this.#shape.read(this.raw, name))
    return super.get(name)
  }

  override has(name: string): boolean {
    return this.get(name) !== undefined
  }

  equals(other: ObjectValue): boolean {
    return this === other || this.#shape.equals(this.raw, other.raw)
  }
}
