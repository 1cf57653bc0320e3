import type { ASTNode } from '@marcbachmann/cel-js'
import type { Flaw } from './compile-failure.ts'

/** Of the tree that an expression is, chains of `&&` and of `||` not counted: they are balanced. */
const deepest = 251

type Operation = { op: string; args: [ASTNode, ASTNode]; start: number; end: number }

/**
 * Makes `a && b && c && d` as shallow as it can be, so that a chain may be long, and finds what is too deep all the
 * same. As cel-go has it; nothing here calls itself, whatever the expression is.
 */
export function shaped(root: ASTNode): Flaw[] {
  const left: { node: ASTNode; depth: number }[] = [{ node: root, depth: 1 }]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { node, depth } = next
    if (depth > deepest) return [{ offset: -1, words: 'max recursion depth exceeded' }]
    const parts = node.op === '&&' || node.op === '||' ? balanced(node) : partsOf(node.args)
    for (const part of parts) left.push({ node: part, depth: depth + 1 })
  }
  return []
}

/** What a node holds, directly or in lists. */
export function partsOf(args: unknown): ASTNode[] {
  if (Array.isArray(args)) return args.flatMap(partsOf)
  return typeof args === 'object' && args !== null && 'op' in args && 'args' in args ? [args as ASTNode] : []
}

/** The operands of a chain, once it is balanced: its own nodes are put together anew. */
function balanced(chain: ASTNode): ASTNode[] {
  const nodes: Operation[] = []
  const operands: ASTNode[] = []
  let node = chain
  for (; node.op === chain.op; node = operationOf(node).args[0]) {
    nodes.push(operationOf(node))
    operands.push(operationOf(node).args[1])
  }
  operands.push(node)
  operands.reverse()
  const [top, ...spare] = nodes as [Operation, ...Operation[]]
  const build = (from: number, to: number, into: Operation): ASTNode => {
    const middle = (from + to + 1) >> 1
    const side = (start: number, end: number) =>
      end - start === 1 ? (operands[start] as ASTNode) : build(start, end, spare.pop() as Operation)
    into.args = [side(from, middle), side(middle, to)]
    into.start = into.args[0].range.start
    into.end = into.args[1].range.end
    return into as unknown as ASTNode
  }
  build(0, operands.length, top)
  return operands
}

const operationOf = (node: ASTNode): Operation => node as unknown as Operation

/** All nodes of an expression, the outer ones first. */
export function* nodesOf(root: ASTNode): Generator<ASTNode> {
  const left = [root]
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    yield node
    left.push(...partsOf(node.args).reverse())
  }
}
