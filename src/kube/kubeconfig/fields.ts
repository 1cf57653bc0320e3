import type { Failure } from '../../core/failure.ts'
import { Secret } from '../../core/secret.ts'
import type { Tree } from './tree.ts'

/** Makes the failure that names a field of the document at hand. */
export type Refuse = (field: string, problem: string) => Failure

/** Unknown fields as JSON, kept to be written back. Secret, because nobody knows what they hold. */
export type Rest = Secret

type Mapping = Record<string, unknown>

const isMapping = (value: unknown): value is Mapping =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Reads the fields of one mapping, each checked and each failure naming its path. As in Go, an empty text, list or
 * null is the same as no field at all. What was never asked for is the `rest`.
 */
export class Fields {
  readonly path: string
  readonly #tree: { value: Mapping; text: Mapping }
  readonly #refuse: Refuse
  readonly #asked = new Set<string>()

  constructor(tree: Tree, path: string, refuse: Refuse) {
    const { value, text } = tree
    if (value !== null && value !== undefined && !isMapping(value))
      throw refuse(path || 'document', 'must be a mapping')
    this.path = path
    this.#refuse = refuse
    this.#tree = { value: isMapping(value) ? value : {}, text: isMapping(text) ? text : {} }
  }

  text(name: string): string | undefined {
    const { value, text } = this.#take(name)
    return this.#scalar(value, text, this.#at(name)) || undefined
  }

  secret(name: string): Secret | undefined {
    const text = this.text(name)
    return text === undefined ? undefined : Secret.of(text)
  }

  flag(name: string): boolean | undefined {
    const { value } = this.#take(name)
    if (value === null || value === undefined) return undefined
    if (typeof value !== 'boolean') throw this.refuse(name, 'must be true or false')
    return value
  }

  /** Base64 of text, as Kubernetes writes the `-data` fields. */
  base64(name: string): string | undefined {
    const encoded = this.text(name)?.replace(/\s/g, '')
    if (encoded === undefined) return undefined
    if (encoded.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) throw this.refuse(name, 'is not base64')
    return Buffer.from(encoded, 'base64').toString()
  }

  texts(name: string): string[] | undefined {
    const items = this.#items(name)
    const texts = items.map(({ value, text }, i) => {
      const at = `${this.#at(name)}[${i}]`
      const item = this.#scalar(value, text, at)
      if (item === undefined) throw this.#refuse(at, 'must be text')
      return item
    })
    return texts.length > 0 ? texts : undefined
  }

  fields(name: string): Fields | undefined {
    const tree = this.#take(name)
    if (tree.value === null || tree.value === undefined) return undefined
    return new Fields(tree, this.#at(name), this.#refuse)
  }

  list(name: string): Fields[] {
    return this.#items(name).map((tree, i) => new Fields(tree, `${this.#at(name)}[${i}]`, this.#refuse))
  }

  /** The names of this mapping, for one that is keyed by what people choose. */
  names(): string[] {
    return Object.keys(this.#tree.value)
  }

  rest(): Rest | undefined {
    const unknown = Object.entries(this.#tree.value).filter(([name]) => !this.#asked.has(name))
    return unknown.length > 0 ? Secret.of(JSON.stringify(Object.fromEntries(unknown))) : undefined
  }

  /** The failure that names a field of this mapping. */
  refuse(name: string, problem: string): Failure {
    return this.#refuse(this.#at(name), problem)
  }

  #at(name: string): string {
    return this.path ? `${this.path}.${name}` : name
  }

  #take(name: string): Tree {
    this.#asked.add(name)
    return { value: this.#tree.value[name], text: this.#tree.text[name] }
  }

  #items(name: string): Tree[] {
    const { value, text } = this.#take(name)
    if (value === null || value === undefined) return []
    if (!Array.isArray(value)) throw this.refuse(name, 'must be a list')
    return value.map((item, i) => ({ value: item, text: Array.isArray(text) ? text[i] : undefined }))
  }

  #scalar(value: unknown, text: unknown, at: string): string | undefined {
    if (value === null || value === undefined) return undefined
    if (typeof value === 'string') return value
    if (typeof value === 'object') throw this.#refuse(at, 'must be text')
    return typeof text === 'string' ? text : String(value)
  }
}

/** The wire form of what a `Fields` kept as its rest. */
export const restOnWire = (rest: Rest | undefined): Mapping => (rest ? JSON.parse(rest.reveal()) : {})
