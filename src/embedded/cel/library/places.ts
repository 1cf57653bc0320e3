import type { ASTNode } from '@marcbachmann/cel-js'
import { compileFailureAt } from '../compile-failure.ts'
import { sourceOf } from './engine.ts'

/** Where CEL says that a part of an expression is: at its operator, or at the bracket of a call. */
export function placeOf(node: ASTNode): number {
  const source = sourceOf(node)
  const after = (from: number, sign: string) => {
    const at = source.indexOf(sign, from)
    return at < 0 ? node.range.start : at
  }
  switch (node.op) {
    case 'call':
      return after(node.range.start, '(')
    case 'rcall':
      return after(source.indexOf(node.args[0], node.args[1].range.end), '(')
    case '.':
    case '.?':
      return after(node.args[0].range.end, '.')
    case '[]':
    case '[?]':
      return after(node.args[0].range.end, '[')
    case '?:':
      return after(node.args[0].range.end, '?')
    case 'value':
    case 'id':
    case 'list':
    case 'map':
    case '!_':
    case '-_':
      return node.range.start
    default: {
      const [left] = node.args as unknown as [ASTNode]
      return after(left.range.end, node.op)
    }
  }
}

export const failureAt = (node: ASTNode, words: string, failed: ASTNode = node) =>
  compileFailureAt(sourceOf(node), placeOf(node), words, failed)
