import type { ASTNode } from '@marcbachmann/cel-js'
import { cidrType } from './cidr.ts'
import type { Evaluator, Meaning } from './engine.ts'
import { ipType } from './ip-address.ts'

const typeNames: ReadonlySet<string> = new Set([
  ...[ipType, cidrType, 'google.protobuf.Timestamp', 'google.protobuf.Duration', 'optional_type'],
])

/** The name of a type if that is what is written here. Those without a dot the engine knows. */
export function typeNameOf(node: ASTNode): string | undefined {
  const name = dotted(node)
  return name !== undefined && typeNames.has(name) ? name : undefined
}

/** Such a name is a value too: `type(x) == net.IP`. */
export function typeNamed(node: ASTNode): Meaning | undefined {
  const name = typeNameOf(node)
  if (name === undefined) return undefined
  return {
    typeCheck: (checker) => checker.getType('type'),
    evaluate: (evaluator) => evaluator.objectTypes.get(name === 'optional_type' ? 'optional' : name)?.typeType,
  }
}

/** `type(x)`. Objects are maps. */
export function typeCall(node: ASTNode): Meaning | undefined {
  if (node.op !== 'call' || node.args[0] !== 'type' || node.args[1].length !== 1) return undefined
  const [argument] = node.args[1] as [ASTNode]
  return {
    typeCheck(checker, _, scope) {
      checker.check(argument, scope)
      return checker.getType('type')
    },
    evaluate: (evaluator, _, scope) => typeOf(evaluator.run(argument, scope), evaluator),
  }
}

function typeOf(value: unknown, evaluator: Evaluator): unknown {
  const { kind, name } = evaluator.debugType(value)
  if (kind === 'optional') return evaluator.objectTypes.get('optional')?.typeType
  const known = value instanceof Map ? 'map' : kind === 'list' ? 'list' : name === 'null' ? 'null_type' : name
  return evaluator.registry.variables.get(known)?.value ?? evaluator.objectTypes.get(known)?.typeType
}

function dotted(node: ASTNode): string | undefined {
  if (node.op === 'id') return node.args
  if (node.op !== '.') return undefined
  const before = dotted(node.args[0])
  return before && `${before}.${node.args[1]}`
}
