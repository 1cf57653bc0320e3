import { apiVersionOf } from '../objects.ts'
import type { Kind, KindVersion } from './kind.ts'

/** A kind as one version serves it. */
export interface Served {
  readonly kind: Kind
  readonly version: KindVersion
  readonly apiVersion: string
}

const served = (kind: Kind, version: KindVersion): Served => ({
  kind,
  version,
  apiVersion: apiVersionOf(kind.group, version.name),
})

/** What stands behind an object of this version: `status`, `scale`. */
export const subresourcesOf = ({ kind, version }: Pick<Served, 'kind' | 'version'>): Kind['subresources'] =>
  version.subresources ?? kind.subresources

/** All kinds there are at present. Custom ones come and go. */
export class Registry {
  readonly #kinds = new Map<string, Kind>()
  readonly #byPath = new Map<string, Served>()
  readonly #byKind = new Map<string, Served>()
  #revision = 0

  /** Another one whenever a kind came, changed or went. */
  get revision(): number {
    return this.#revision
  }

  /** Adds it, or puts it in place of the one with the same group and plural. */
  set(kind: Kind): void {
    this.remove(kind.group, kind.plural)
    this.#revision++
    this.#kinds.set(`${kind.group}/${kind.plural}`, kind)
    for (const version of kind.versions) {
      const found = served(kind, version)
      this.#byPath.set(`${found.apiVersion}/${kind.plural}`, found)
      this.#byKind.set(`${found.apiVersion}/${kind.kind}`, found)
    }
  }

  remove(group: string, plural: string): void {
    const kind = this.#kinds.get(`${group}/${plural}`)
    if (!kind) return
    this.#revision++
    this.#kinds.delete(`${group}/${plural}`)
    for (const { name } of kind.versions) {
      this.#byPath.delete(`${apiVersionOf(group, name)}/${plural}`)
      this.#byKind.delete(`${apiVersionOf(group, name)}/${kind.kind}`)
    }
  }

  /** By what stands in a path. */
  find(group: string, version: string, plural: string): Served | undefined {
    return this.#byPath.get(`${apiVersionOf(group, version)}/${plural}`)
  }

  /** By what stands in an object. */
  findKind(apiVersion: string, kind: string): Served | undefined {
    return this.#byKind.get(`${apiVersion}/${kind}`)
  }

  get(group: string, plural: string): Kind | undefined {
    return this.#kinds.get(`${group}/${plural}`)
  }

  all(): Kind[] {
    return [...this.#kinds.values()]
  }
}
