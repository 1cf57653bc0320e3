/** What evaluating one expression may cost, as Kubernetes counts. */
export const mostOfOneRun = 1_000_000
/** What all expressions on one object may cost together. */
export const mostOfAllRuns = 10_000_000

/**
 * Steps of the process itself. Kubernetes counts some calls as one however large the values are, comparing two objects
 * for example, and lets a deadline end what takes too long; here nothing else could run until then.
 */
export const mostSteps = 20_000_000
/** A text of more characters is not made. */
const longestText = 32 * 1024 * 1024

export class CostLimitExceeded extends Error {
  constructor() {
    super('operation cancelled: actual cost limit exceeded')
    this.name = 'CostLimitExceeded'
  }
}

/** Made once: where an operator does not mind a failure, it is thrown for every further item. */
const exceeded = new CostLimitExceeded()

/** Counts what evaluating one expression costs. Nothing is evaluated any further once that is too much. */
export class Meter {
  #spent = 0
  #steps = 0
  #stepsLeft = mostSteps
  #isExceeded = false

  start(stepsLeft: number = mostSteps): void {
    this.#spent = 0
    this.#steps = 0
    this.#stepsLeft = stepsLeft
    this.#isExceeded = false
  }

  get spent(): number {
    return this.#spent
  }

  get steps(): number {
    return this.#steps
  }

  spend(cost: number): void {
    this.#spent += cost
    this.#steps++
    if (this.#spent > mostOfOneRun || this.#steps > this.#stepsLeft) this.#isExceeded = true
    this.check()
  }

  /** Work that costs nothing. */
  work(steps: number): void {
    this.#steps += steps
    if (this.#steps > this.#stepsLeft) this.#isExceeded = true
    this.check()
  }

  /** Before a text is made that can be this long. */
  makeText(characters: number): void {
    if (characters > longestText) this.#isExceeded = true
    this.check()
    this.work(characters / 16)
  }

  /** Throws if it was too much, even if the expression came to something all the same. */
  check(): void {
    if (this.#isExceeded) throw exceeded
  }
}
