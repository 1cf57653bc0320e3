import { OutOfBudget } from '../checks.ts'
import type { Meter } from './meter.ts'
import { mostOfAllRuns, mostSteps } from './meter.ts'

/** An expression that counts what evaluating it costs. */
export interface Metered {
  readonly meter: Meter
  run(values: Readonly<Record<string, unknown>>, stepsLeft?: number): unknown
}

/** To evaluate the smallest expression takes some steps too. */
const stepsOfRun = 5

/** What all expressions on one object may cost together. */
export class Budget {
  #costLeft = mostOfAllRuns
  #stepsLeft = mostSteps

  get isSpent(): boolean {
    return this.#costLeft <= 0
  }

  /** What an expression comes to. Throws what it throws, or `OutOfBudget`. */
  run(expression: Metered, values: Readonly<Record<string, unknown>>): unknown {
    try {
      return expression.run(values, this.#stepsLeft)
    } finally {
      this.#pay(expression.meter)
    }
  }

  #pay({ spent, steps }: Meter): void {
    if (spent > this.#costLeft) throw new OutOfBudget()
    this.#costLeft -= spent
    this.#stepsLeft -= steps + stepsOfRun
    if (this.#stepsLeft < 0) throw new OutOfBudget()
  }
}
