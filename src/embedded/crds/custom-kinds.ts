import type { Kind } from '../kinds/kind.ts'
import type { Registry } from '../kinds/registry.ts'
import { apiVersionOf } from '../objects.ts'
import { parsed } from '../storage/reading.ts'
import type { Entry } from '../storage/store.ts'
import type { ConversionDeps } from './conversion.ts'
import { converterOf } from './conversion.ts'
import { customKind } from './custom-kind.ts'
import type { Definition } from './definition.ts'
import { hasCondition } from './definition.ts'

/** The custom kinds of a registry: always what the stored definitions say, and nothing besides. */
export class CustomKinds {
  readonly #registry: Registry
  readonly #deps: ConversionDeps
  /** What each was made from. One that is not made anew keeps what is remembered about it elsewhere. */
  readonly #madeFrom = new Map<string, { text: string; kind: Kind }>()

  constructor(registry: Registry, deps: ConversionDeps) {
    this.#registry = registry
    this.#deps = deps
  }

  /** Serves what this state of a definition says, or stops to. */
  follow(entry: Entry): void {
    const definition = parsed<Definition>(entry)
    if (!hasCondition(definition, 'Established')) {
      this.forget(entry.name)
      return
    }
    const { spec, status } = definition
    const text = JSON.stringify([spec, status?.acceptedNames, hasCondition(definition, 'Terminating')])
    const before = this.#madeFrom.get(entry.name)
    if (before?.text === text) return
    const kind = customKind(definition, { convert: converterOf(spec.conversion, this.#deps) })
    if (this.#isBuiltIn(kind)) return
    if (before) this.forget(entry.name)
    this.#registry.set(kind)
    this.#madeFrom.set(entry.name, { text, kind })
  }

  forget(name: string): void {
    const made = this.#madeFrom.get(name)
    if (!made) return
    this.#madeFrom.delete(name)
    this.#registry.remove(made.kind.group, made.kind.plural)
  }

  /** A definition cannot take the place of what is served without one. */
  #isBuiltIn({ group, plural, kind, versions }: Kind): boolean {
    const found = [
      this.#registry.get(group, plural),
      ...versions.map(({ name }) => this.#registry.findKind(apiVersionOf(group, name), kind)?.kind),
    ]
    return found.some((other) => other && !other.custom)
  }
}
