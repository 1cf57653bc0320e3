import type { ASTNode } from '@marcbachmann/cel-js'
import { typeNameOf } from '../library/type-names.ts'
import type { Expression } from './expression.ts'
import { call, literal, memberCall, named } from './expression.ts'
import { isMacro, writeOutMacro } from './macros.ts'
import { resultType } from './result-types.ts'
import type { Scope } from './scope.ts'
import { fieldType, select, unwrapped } from './scope.ts'
import type { CelType } from './types.ts'
import { bool, dyn, int, listOf, mapOf, optionalOf, typeNamed } from './types.ts'

const operators: Readonly<Record<string, string>> = {
  '[]': '_[_]',
  '[?]': '_[?_]',
  in: '@in',
  '?:': '_?_:_',
}

/** The expression of a tree that the library in use has parsed and checked. */
export function writeOut(node: ASTNode, scope: Scope): Expression {
  const inside = (part: ASTNode): Expression => writeOut(part, scope)
  switch (node.op) {
    case 'value':
      return literal(node.args, typeOfLiteral(node.args))
    case 'id':
      return named(node.args, scope.get(node.args) ?? { kind: 'type' })
    case '.':
      if (typeNameOf(node) !== undefined) return named(typeNameOf(node) as string, { kind: 'type' })
      return select(inside(node.args[0]), node.args[1])
    case '.?': {
      const operand = inside(node.args[0])
      const type = optionalOf(fieldType(unwrapped(operand.type), node.args[1]))
      return call('_?._', type, operand, literal(node.args[1], { kind: 'string' }))
    }
    case 'list':
      return writeOutList(node.args.map(inside))
    case 'map':
      return writeOutMap(node.args.map(([key, value]) => [inside(key), inside(value)] as const))
    case '-_':
      return isUndone(node) ? inside(node.args.args as ASTNode) : writeOutNegation(node.args, inside)
    case '!_':
      return isUndone(node) ? inside(node.args.args as ASTNode) : call('!_', bool, inside(node.args))
    case 'call':
    case 'rcall':
      return writeOutCall(node, scope)
    default: {
      const args = (node.args as ASTNode[]).map(inside)
      const name = operators[node.op] ?? `_${node.op}_`
      return call(name, resultType(name, undefined, args) ?? typeOfNode(node), ...args)
    }
  }
}

const typeOfNode = (node: ASTNode): CelType =>
  typeNamed((node as { checkedType?: { name: string } }).checkedType?.name ?? 'dyn')

function typeOfLiteral(value: unknown): CelType {
  if (typeof value === 'string') return { kind: 'string' }
  if (typeof value === 'bigint') return int
  if (typeof value === 'number') return { kind: 'double' }
  if (typeof value === 'boolean') return bool
  if (value === null) return { kind: 'null' }
  return { kind: value instanceof Uint8Array ? 'bytes' : 'uint' }
}

const writeOutList = (items: readonly Expression[]): Expression => ({
  kind: 'list',
  type: listOf(items[0]?.type ?? dyn),
  items,
})

const writeOutMap = (entries: readonly (readonly [Expression, Expression])[]): Expression => ({
  kind: 'map',
  type: mapOf(entries[0]?.[0].type ?? dyn, entries[0]?.[1].type ?? dyn),
  entries,
})

/** Of `--a` and `!!a` nothing is left, other than of `-(-a)`. */
const isUndone = (node: Extract<ASTNode, { op: '-_' | '!_' }>): boolean =>
  node.args.op === node.op && !node.input.slice(node.range.start, node.args.range.start).includes('(')

/** A number with a sign is one literal. */
function writeOutNegation(operand: ASTNode, inside: (part: ASTNode) => Expression): Expression {
  if (operand.op === 'value' && typeof operand.args === 'bigint') return literal(-operand.args, int)
  const written = inside(operand)
  if (written.kind === 'literal' && typeof written.value === 'number')
    return literal(-written.value, { kind: 'double' })
  return call('-_', written.type, written)
}

function writeOutCall(node: Extract<ASTNode, { op: 'call' | 'rcall' }>, scope: Scope): Expression {
  const [name] = node.args
  const given = node.args.at(-1) as ASTNode[]
  const receiver = node.op === 'rcall' ? node.args[1] : undefined
  if (isMacro(name, receiver !== undefined, given)) return writeOutMacro(name, receiver, given, scope, writeOut)
  const args = given.map((part) => writeOut(part, scope))
  if (receiver === undefined) return call(name, resultType(name, undefined, args) ?? typeOfNode(node), ...args)
  const isPartOfName = receiver.op === 'id' && !scope.has(receiver.args)
  if (isPartOfName) {
    const whole = `${receiver.args}.${name}`
    return call(whole, resultType(whole, undefined, args) ?? typeOfNode(node), ...args)
  }
  const target = writeOut(receiver, scope)
  return memberCall(target, name, resultType(name, target, args) ?? typeOfNode(node), ...args)
}
