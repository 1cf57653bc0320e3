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
  override readonly name: string = 'CostLimitExceeded'

  constructor() {
    super('operation cancelled: actual cost limit exceeded')
  }
}

/** It was not what Kubernetes counts, but what this process can do meanwhile: there, the expression would have gone on. */
export class StepLimitExceeded extends CostLimitExceeded {
  override readonly name = 'StepLimitExceeded'
}

/** Made once: where an operator does not mind a failure, they are thrown for every further item. */
const exceeded = { cost: new CostLimitExceeded(), steps: new StepLimitExceeded() }

let running: Meter | undefined

/** For calls that learn only meanwhile how much they do. Expressions do not wait: no other is evaluated at the time. */
export const chargeRunning = (steps: number): void => running?.work(steps)

/** Counts what evaluating one expression costs. Nothing is evaluated any further once that is too much. */
export class Meter {
  #spent = 0
  #steps = 0
  #stepsLeft = mostSteps
  #exceeded: CostLimitExceeded | undefined

  start(stepsLeft: number = mostSteps): void {
    this.#spent = 0
    this.#steps = 0
    this.#stepsLeft = stepsLeft
    this.#exceeded = undefined
    running = this
  }

  /** Throws if it was too much, even if the expression came to something all the same. */
  end(): void {
    running = undefined
    this.check()
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
    if (this.#spent > mostOfOneRun) this.#exceeded ??= exceeded.cost
    if (this.#steps > this.#stepsLeft) this.#exceeded ??= exceeded.steps
    this.check()
  }

  /** Work that costs nothing. */
  work(steps: number): void {
    this.#steps += steps
    if (this.#steps > this.#stepsLeft) this.#exceeded ??= exceeded.steps
    this.check()
  }

  /** Before a text is made that can be this long. */
  makeText(characters: number): void {
    if (characters > longestText) this.#exceeded ??= exceeded.steps
    this.check()
    this.work(characters / 16)
  }

  check(): void {
    if (this.#exceeded) throw this.#exceeded
  }
}
