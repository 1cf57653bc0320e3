import type { ASTNode } from '@marcbachmann/cel-js'
import { Optional } from '@marcbachmann/cel-js'
import { compileFailureAt, isOpaque, noSuchField } from './compile-failure.ts'
import type { Checker, EngineType, Meaning } from './library/engine.ts'
import { give, sourceOf } from './library/engine.ts'
import { typeWords } from './library/types.ts'

type FieldTypes = Readonly<Record<string, EngineType>>
type WithObjectTypes = Checker & { objectTypes: ReadonlyMap<string, { fields?: FieldTypes }> }

/** Gives `a.b` and `a.?b` the meaning that they have in Kubernetes. */
export function selectFields(nodes: Iterable<ASTNode>): void {
  for (const node of nodes) if (node.op === '.' || node.op === '.?') give(node, selection(node, node.op === '.?'))
}

function selection(node: ASTNode, asksForOptional: boolean): Meaning {
  const [holder, name] = node.args as [ASTNode, string]
  let isDeclared = false
  const fieldOf = (value: unknown): unknown => (isDeclared ? declaredField(value, name) : heldField(value, name))
  return {
    typeCheck(checker, _, scope) {
      const type = checker.check(holder, scope)
      const isOptional = type.kind === 'optional'
      const of = isOptional ? (type.valueType ?? type) : type
      isDeclared = of.kind === 'message'
      const found = fieldType(node, of, checker as WithObjectTypes)
      return isOptional || asksForOptional ? checker.registry.getOptionalType(found) : found
    },
    evaluate(evaluator, _, scope) {
      const value = evaluator.run(holder, scope)
      if (value instanceof Optional) return value.hasValue() ? optional(fieldOf(value.value())) : Optional.none()
      const found = fieldOf(value)
      if (asksForOptional) return optional(found)
      if (found === undefined) throw new Error(`no such key: ${name}`)
      return found
    },
  }
}

const optional = (value: unknown): Optional => (value === undefined ? Optional.none() : Optional.of(value))

/** Of a type that declares it: such a value may be of a class of ours. */
const declaredField = (value: unknown, name: string): unknown =>
  value instanceof Map ? value.get(name) : (value as Readonly<Record<string, unknown>> | null)?.[name]

/** Of anything: only what a map holds is a field. */
function heldField(value: unknown, name: string): unknown {
  if (value instanceof Map) return value.get(name)
  const isPlain = typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  return isPlain && Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined
}

function fieldType(node: ASTNode, type: EngineType, checker: WithObjectTypes): EngineType {
  const [holder, name] = node.args as [ASTNode, string]
  const refuse = (words: string) => compileFailureAt(sourceOf(node), dotOf(node), words, node)
  switch (type.kind) {
    case 'dyn':
    case 'param':
      return checker.getType('dyn')
    case 'map':
      return type.valueType ?? checker.getType('dyn')
    case 'message': {
      const declared = checker.objectTypes.get(type.name)?.fields
      if (declared === undefined || type.name.startsWith('net.'))
        throw refuse(`type '${typeWords(type)}' does not support field selection`)
      // What looks like a field of an authorizer is a variable of that name.
      const isHidden = isOpaque(type.name) && (node.op === '.?' || holder.op !== 'id')
      const found = Object.hasOwn(declared, name) && !isHidden ? declared[name] : undefined
      if (found === undefined) throw refuse(noSuchField(name, type.name))
      return found
    }
    default:
      throw refuse(`type '${typeWords(type)}' does not support field selection`)
  }
}

/** The node itself begins where the name does. */
const dotOf = (node: ASTNode): number => sourceOf(node).lastIndexOf('.', (node as unknown as { pos: number }).pos - 1)
