import type { Program } from '../cel/cel.ts'
import { compileCondition } from '../cel/cel.ts'
import { StepLimitExceeded } from '../cel/cost/meter.ts'
import { conditionsTooLong } from '../status.ts'
import { aggregate } from './rbac.ts'
import type { ReviewSpec } from './review-spec.ts'
import { conditionVariables } from './review-spec.ts'

export type Matching = { readonly matches: boolean } | { readonly error: string }

export interface Condition {
  readonly expression: string
  readonly program: Program
}

export const compileConditions = (expressions: readonly string[]): Condition[] =>
  expressions.map((expression) => ({ expression, program: compileCondition(expression, conditionVariables) }))

/** All must hold. One that does not outweighs those that cannot be evaluated. */
export function matching(conditions: readonly Condition[], request: ReviewSpec): Matching {
  const errors: string[] = []
  for (const { expression, program } of conditions) {
    try {
      if (program({ request }) !== true) return { matches: false }
    } catch (error) {
      if (error instanceof StepLimitExceeded) throw conditionsTooLong()
      const words = (error as Error).message
      errors.push(`cel evaluation error: expression '${expression}' resulted in error: ${words}`)
    }
  }
  return errors.length > 0 ? { error: aggregate(errors) } : { matches: true }
}
