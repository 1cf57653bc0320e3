import type { ASTNode } from '@marcbachmann/cel-js'
import type { Declared } from './declared.ts'
import { Estimator } from './estimator.ts'
import { optionalOf, typeOfDeclared } from './types.ts'
import { writeOut } from './write-out.ts'

/**
 * The most that evaluating an expression on a value of this declaration can cost, as CEL in Go estimates it with the
 * additions of Kubernetes. The tree must have been checked.
 */
export function estimateCost(expression: ASTNode, self: Declared, hasOptionalOldSelf = false): bigint {
  const type = typeOfDeclared(self)
  const scope = new Map([
    ['self', type],
    ['oldSelf', hasOptionalOldSelf ? optionalOf(type) : type],
  ])
  return new Estimator(self).cost(writeOut(expression, scope))
}
