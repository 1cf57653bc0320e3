import type { ASTNode } from '@marcbachmann/cel-js'
import { Optional } from '@marcbachmann/cel-js'
import type { Checker, EngineType, InnerScope, Meaning, Scope } from './engine.ts'
import { typeNameOf } from './format-text.ts'
import { failureAt } from './places.ts'
import { isAssignable, mostGeneral, typeWords } from './types.ts'

/** `or`, `orValue`, `optMap` and `optFlatMap`. Undefined for a call of another. */
export function optionalMacro(call: ASTNode): Meaning | undefined {
  if (call.op !== 'rcall') return undefined
  const [name, receiver, args] = call.args as [string, ASTNode, ASTNode[]]
  const [first, second] = args
  if (args.length === 1 && (name === 'or' || name === 'orValue')) return otherwise(call, receiver, first as ASTNode)
  if (args.length === 2 && (name === 'optMap' || name === 'optFlatMap'))
    return transformed(call, receiver, first as ASTNode, second as ASTNode)
  return undefined
}

const valueTypeOf = (checker: Checker, node: ASTNode, scope: Scope): EngineType | undefined => {
  const type = checker.check(node, scope)
  if (type.kind === 'optional') return type.valueType as EngineType
  return type.kind === 'dyn' || type.kind === 'param' ? checker.getType('dyn') : undefined
}

function optionalOf(value: unknown): Optional {
  if (!(value instanceof Optional)) throw new Error(`no such overload: hasValue(${typeNameOf(value)})`)
  return value
}

/** The argument is looked at only if there is nothing before it. What is no optional stays as it is. */
function otherwise(call: ASTNode, receiver: ASTNode, argument: ASTNode): Meaning {
  const name = String((call.args as unknown[])[0])
  const isValue = name === 'orValue'
  return {
    typeCheck(checker, _, scope) {
      const held = valueTypeOf(checker, receiver, scope)
      const given = isValue ? checker.check(argument, scope) : valueTypeOf(checker, argument, scope)
      if (!held || !given || !isAssignable(held, given)) {
        const types = [receiver, argument].map((node) => typeWords(checker.check(node, scope)))
        throw failureAt(call, `found no matching overload for '${name}' applied to '${types[0]}.(${types[1]})'`)
      }
      const type = mostGeneral(held, given)
      return isValue ? type : checker.registry.getOptionalType(type)
    },
    evaluate(evaluator, _, scope) {
      const optional = evaluator.run(receiver, scope)
      if (!(optional instanceof Optional)) return optional
      if (optional.hasValue()) return isValue ? optional.value() : optional
      return evaluator.run(argument, scope)
    },
  }
}

function transformed(call: ASTNode, receiver: ASTNode, variable: ASTNode, body: ASTNode): Meaning {
  const name = String((call.args as unknown[])[0])
  if (variable.op !== 'id') throw failureAt(variable, `${name}() variable name must be a simple identifier`)
  let inner: InnerScope | undefined
  return {
    typeCheck(checker, _, scope) {
      const held = valueTypeOf(checker, receiver, scope)
      if (!held) {
        const type = typeWords(checker.check(receiver, scope))
        throw failureAt(call, `found no matching overload for 'hasValue' applied to '${type}.()'`)
      }
      inner = scope.forkWithVariable(variable.args, held)
      const type = checker.check(body, inner)
      inner.iterType = checker.getType('dyn')
      if (name === 'optMap') return checker.registry.getOptionalType(type)
      if (type.kind === 'optional' || type.kind === 'dyn') return type
      const words = `(bool, ${typeWords(type)}, optional_type(dyn))`
      throw failureAt(call, `found no matching overload for '_?_:_' applied to '${words}'`)
    },
    evaluate(evaluator, _, scope) {
      const optional = optionalOf(evaluator.run(receiver, scope))
      if (!optional.hasValue()) return Optional.none()
      const value = evaluator.run(body, (inner as InnerScope).reuse(scope).setIterValue(optional.value(), evaluator))
      return name === 'optMap' ? Optional.of(value) : optionalOf(value)
    },
  }
}
