import { goQuote } from '../../go-quote.ts'
import type { Unfit } from './unfit.ts'

/** A field, the index of a list, or what flaws and messages about types name in different ways. */
export type Step = string | number | NamedTwice

interface NamedTwice {
  /** For flaws. */
  readonly key: string
  /** For messages about types, which leave the keys of maps out. */
  readonly field?: string
}

/** More are not told, as in Kubernetes, and not looked for. */
export const mostFlaws = 100

/** Where the decoder is in an object, and what it has noticed. */
export class Walk {
  readonly flaws: string[] = []
  /** Name of the innermost struct. */
  struct = ''
  /** False where Go's own types read JSON by themselves and report nothing. */
  isStrict = true
  readonly #steps: Step[] = []
  #depth = 0

  enter(step: Step): void {
    this.#steps[this.#depth++] = step
  }

  leave(): void {
    this.#depth--
  }

  unknownField(name: string): void {
    if (!this.isStrict || this.flaws.length >= mostFlaws) return
    this.flaws.push(`unknown field ${goQuote(this.#path(name))}`)
  }

  #path(name: string): string {
    const steps = [...this.#steps.slice(0, this.#depth), name]
    return steps.reduce<string>((path, step) => {
      if (typeof step === 'number') return `${path}[${step}]`
      const part = typeof step === 'string' ? step : step.key
      return path === '' ? part : `${path}.${part}`
    }, '')
  }

  /** What Go says of a value that does not fit where the walk stands. */
  explain({ message, found, goType }: Unfit): string {
    if (found === undefined) return message
    const fields = this.#steps.slice(0, this.#depth).flatMap((step) => {
      if (typeof step === 'object') return step.field ?? []
      return typeof step === 'string' ? step : []
    })
    const where = fields.length === 0 ? 'Go value' : `Go struct field ${this.struct}.${fields.join('.')}`
    return `json: cannot unmarshal ${found} into ${where} of type ${goType}`
  }
}
