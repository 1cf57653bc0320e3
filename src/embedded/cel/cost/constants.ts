import type { ASTNode } from '@marcbachmann/cel-js'

const isNumber = (value: unknown): boolean => typeof value === 'bigint' || typeof value === 'number'

/** What is made once, when an expression is compiled, and costs nothing when it is evaluated. */
export function isConstant(node: ASTNode): boolean {
  if (node.op === 'value') return true
  if (node.op === '-_') return node.args.op === 'value' && isNumber(node.args.args)
  if (node.op === 'list') return node.args.every(isConstant)
  return node.op === 'map' && node.args.flat().every(isConstant)
}

const conversions: ReadonlySet<string> = new Set('bool bytes double duration int string timestamp uint'.split(' '))

/** A number with a sign, a conversion of a constant, or the question whether something is in a list of constants. */
export function isConstantCall(node: ASTNode, name: string, operands: readonly ASTNode[]): boolean {
  if (node.op === '-_') return isConstant(node)
  if (node.op === 'call') return conversions.has(name) && operands.every(isConstant)
  return name === 'in' && operands[1]?.op === 'list' && isConstant(operands[1])
}
