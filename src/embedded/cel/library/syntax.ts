import type { ASTNode } from '@marcbachmann/cel-js'
import { Optional } from '@marcbachmann/cel-js'
import { isOpaque, noSuchField } from '../compile-failure.ts'
import type { Checker, EngineType, Evaluator, Meaning, Scope } from './engine.ts'
import { failureAt } from './places.ts'
import { isAssignable, mostGeneral, typeWords } from './types.ts'

/** All that is no call: choices, the literals of lists and maps, and the question whether a field is there. */
export function syntaxOf(node: ASTNode): Meaning | undefined {
  switch (node.op) {
    case '?:':
      return choice(node, node.args)
    case '&&':
      return logical(node, node.args, false)
    case '||':
      return logical(node, node.args, true)
    case 'list':
      return listLiteral(node.args)
    case 'map':
      return mapLiteral(node.args as unknown as [ASTNode, ASTNode][])
    case 'call':
      return node.args[0] === 'has' && node.args[1].length === 1
        ? presence(node, node.args[1][0] as ASTNode)
        : undefined
    default:
      return undefined
  }
}

function choice(node: ASTNode, [condition, yes, no]: readonly ASTNode[]): Meaning {
  const parts = [condition, yes, no] as [ASTNode, ASTNode, ASTNode]
  return {
    typeCheck(checker, _, scope) {
      const [asked, one, other] = parts.map((part) => checker.check(part, scope)) as [
        EngineType,
        EngineType,
        EngineType,
      ]
      if (isAssignable(checker.getType('bool'), asked) && isAssignable(one, other)) return mostGeneral(one, other)
      const words = [asked, one, other].map(typeWords).join(', ')
      throw failureAt(node, `found no matching overload for '_?_:_' applied to '(${words})'`)
    },
    evaluate(evaluator, _, scope) {
      const asked = evaluator.run(parts[0], scope)
      if (typeof asked !== 'boolean') throw new Error('no such overload')
      return evaluator.run(asked ? parts[1] : parts[2], scope)
    },
  }
}

/** The side that decides counts, even when the other one fails. */
function logical(node: ASTNode, sides: readonly ASTNode[], decides: boolean): Meaning {
  return {
    typeCheck(checker, _, scope) {
      const bool = checker.getType('bool')
      for (const side of sides) {
        const type = checker.check(side, scope)
        if (!isAssignable(bool, type))
          throw failureAt(side, `expected type 'bool' but found '${typeWords(type)}'`, node)
      }
      return bool
    },
    evaluate(evaluator, _, scope) {
      let failure: { readonly error: unknown } | undefined
      for (const side of sides) {
        const { value, error } = attempt(evaluator, side, scope)
        if (value === decides) return decides
        if (typeof value !== 'boolean') failure ??= { error }
      }
      if (failure) throw failure.error
      return !decides
    },
  }
}

function attempt(evaluator: Evaluator, node: ASTNode, scope: Scope): { value?: unknown; error?: unknown } {
  try {
    const value = evaluator.run(node, scope)
    return typeof value === 'boolean' ? { value } : { error: new Error('no such overload') }
  } catch (error) {
    return { error }
  }
}

/** One type for all of them. Those that do not go together are told once everything has a type. */
function joined(checker: Checker, nodes: readonly ASTNode[], scope: Scope): EngineType | undefined {
  let type: EngineType | undefined
  for (const node of nodes) {
    const next = checker.check(node, scope)
    if (type === undefined) type = next
    else if (isAssignable(type, next)) type = mostGeneral(type, next)
    else type = checker.getType('dyn')
  }
  return type
}

const listLiteral = (items: readonly ASTNode[]): Meaning => ({
  typeCheck(checker, _, scope) {
    const type = joined(checker, items, scope)
    return type ? checker.registry.getListType(type) : checker.getType('list<T>')
  },
  evaluate: (evaluator, _, scope) => items.map((item) => evaluator.run(item, scope)),
})

const mapLiteral = (entries: readonly [ASTNode, ASTNode][]): Meaning => ({
  typeCheck(checker, _, scope) {
    const keyType = joined(
      checker,
      entries.map(([key]) => key),
      scope,
    )
    const valueType = joined(
      checker,
      entries.map(([, value]) => value),
      scope,
    )
    return keyType && valueType ? checker.registry.getMapType(keyType, valueType) : checker.getType('map<K, V>')
  },
  evaluate: (evaluator, _, scope) =>
    new Map(entries.map(([key, value]) => [evaluator.run(key, scope), evaluator.run(value, scope)])),
})

/** `has(a.b)`: what stands before the last field must be there. */
function presence(call: ASTNode, field: ASTNode): Meaning | undefined {
  if (field.op !== '.') throw failureAt(field, 'invalid argument to has() macro')
  const [holder, name] = field.args
  return {
    typeCheck(checker, _, scope) {
      const type = checker.check(holder, scope)
      if (isOpaque(type.name) || !hasType(checker, field, scope)) throw failureAt(call, noSuchField(name, type.name))
      return checker.getType('bool')
    },
    evaluate: (evaluator, _, scope) => isThere(evaluator.run(holder, scope), name),
  }
}

function hasType(checker: Checker, node: ASTNode, scope: Scope): boolean {
  try {
    checker.check(node, scope)
    return true
  } catch {
    return false
  }
}

function isThere(holder: unknown, name: string): boolean {
  if (holder instanceof Optional) return holder.hasValue() && isThere(holder.value(), name)
  if (holder instanceof Map) return holder.get(name) !== undefined
  throw new Error('no such overload')
}
