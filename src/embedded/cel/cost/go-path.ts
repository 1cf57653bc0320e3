/**
 * The way from a variable to a value, kept as a slice of Go: two ways that were made longer from the same one may share
 * the place of their last step, and then the later overwrites the earlier. Kubernetes' estimates show it, so ours must.
 */
export class GoPath {
  static readonly none = new GoPath([], 0)

  readonly #steps: string[]
  readonly length: number

  private constructor(steps: string[], length: number) {
    this.#steps = steps
    this.length = length
  }

  static of(variable: string): GoPath {
    return new GoPath([variable], 1)
  }

  append(step: string): GoPath {
    const steps = this.length < this.#steps.length ? this.#steps : this.#grown()
    steps[this.length] = step
    return new GoPath(steps, this.length + 1)
  }

  /** One that shares nothing with this one. */
  copy(): GoPath {
    return new GoPath(this.#steps.slice(0, this.length), this.length)
  }

  /** All steps but the first, the variable. */
  get afterVariable(): readonly string[] {
    return this.#steps.slice(1, this.length)
  }

  #grown(): string[] {
    const steps = this.#steps.slice(0, this.length)
    const room = Math.max(1, this.length * 2)
    while (steps.length < room) steps.push('')
    return steps
  }
}
