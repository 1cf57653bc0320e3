import type { ASTNode } from '@marcbachmann/cel-js'
import { undeclared } from '../compile-failure.ts'
import { nodesOf } from '../shape.ts'
import { accessAnything, accessMaybe } from './access.ts'
import { loopOf, meaningOf } from './comprehensions.ts'
import type { EngineType, Meaning } from './engine.ts'
import { give, sourceOf } from './engine.ts'
import { functions } from './library.ts'
import { optionalMacro } from './optional-macros.ts'
import type { Overload } from './overloads.ts'
import { dispatch, resolve } from './overloads.ts'
import { failureAt } from './places.ts'
import { syntaxOf } from './syntax.ts'
import { typeCall, typeNamed } from './type-names.ts'
import { typeWords } from './types.ts'

/**
 * Gives the parts of an expression that is not checked yet the meaning that they have in Kubernetes. What has none
 * here is left to the engine: variables, fields, and the functions of an authorizer. Throws a `CompileFailure` for
 * what the engine has and Kubernetes does not.
 */
export function equip(root: ASTNode): void {
  for (const node of nodesOf(root)) {
    const meaning = meaningOfNode(node)
    if (meaning) give(node, meaning)
  }
}

/** The functions of an authorizer, and `type` with a wrong number of arguments. All others that the engine has Kubernetes does not have. */
const ofEngine: ReadonlySet<string> = new Set([
  ...['type', 'path', 'group', 'serviceAccount', 'resource', 'subresource', 'namespace', 'name'],
  ...['fieldSelector', 'labelSelector', 'check', 'allowed', 'reason', 'errored', 'error'],
])

function meaningOfNode(node: ASTNode): Meaning | undefined {
  const loop = loopOf(node)
  if (loop) return meaningOf(loop)
  const special = syntaxOf(node) ?? optionalMacro(node) ?? typeNamed(node) ?? typeCall(node)
  if (node.op === 'value' && (node.args as unknown) instanceof Uint8Array) readBytes(node)
  if (special) return special
  if (node.op === 'id') return engineNames.has(node.args) ? unknown(node, node.args, []) : undefined
  if (node.op === 'call') return callOrUnknown(node, node.args[0], node.args[1], false)
  if (node.op === 'rcall') return memberCall(node, node.args as [string, ASTNode, ASTNode[]])
  const operator = operators[node.op]
  if (operator === undefined) return undefined
  return callOf(node, operator, Array.isArray(node.args) ? (node.args as ASTNode[]) : [node.args as ASTNode], false)
}

const operators: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['==', '!=', '+', '-', '*', '/', '%', '<', '<=', '>', '>='].map((sign) => [sign, `_${sign}_`])),
  in: '@in',
  '!_': '!_',
  '-_': '-_',
  '[]': '_[_]',
  '[?]': '_[?_]',
}

/** The engine keeps no more than eight bits of a character. */
function readBytes(node: ASTNode): void {
  const text = sourceOf(node).slice(node.range.start, node.range.end)
  if (!/[\u{80}-\u{10ffff}]/u.test(text)) return
  const [, prefix = '', , body = ''] = /^([a-z]+)('''|"""|'|")(.*)\2$/is.exec(text) ?? []
  if (body.includes('\\') && !/r/i.test(prefix))
    throw failureAt(node, 'Syntax error: bytes of escapes and of characters beyond ASCII in one literal are not served')
  Object.assign(node, { args: Buffer.from(body) })
}

/** The engine's own namespaces, which are no variables. */
const engineNames: ReadonlySet<string> = new Set(['cel', 'optional'])

/** What its arguments lack is told too. */
const unknown = (node: ASTNode, name: string, args: readonly ASTNode[]): Meaning => ({
  typeCheck(checker, _, scope) {
    for (const argument of args) checker.check(argument, scope)
    throw failureAt(node, undeclared(name))
  },
  evaluate() {
    throw new Error(undeclared(name))
  },
})

function memberCall(node: ASTNode, [name, receiver, args]: [string, ASTNode, ASTNode[]]) {
  if (receiver.op === 'id') {
    const qualified = callOf(node, `${receiver.args}.${name}`, args, false)
    if (qualified) return qualified
  }
  return callOrUnknown(node, name, [receiver, ...args], true)
}

const callOrUnknown = (node: ASTNode, name: string, args: readonly ASTNode[], isMember: boolean): Meaning | undefined =>
  callOf(node, name, args, isMember) ?? (ofEngine.has(name) ? undefined : unknown(node, name, args))

/** Undefined if there is no function of that name here. */
function callOf(node: ASTNode, name: string, args: readonly ASTNode[], isMember: boolean): Meaning | undefined {
  const overloads = functions.get(name)
  if (overloads === undefined) return undefined
  const forms = overloads.filter((one) => one.isMember === isMember)
  let candidates: readonly Overload[] = []
  return {
    typeCheck(checker, _, scope) {
      const types = args.map((argument) => checker.check(argument, scope))
      const resolved = resolve(forms, types, checker)
      if (!resolved) throw failureAt(node, overloadWords(name, types, isMember))
      candidates = resolved.candidates
      return resolved.type
    },
    evaluate(evaluator, _, scope) {
      const values = args.map((argument) => evaluator.run(argument, scope))
      if (name === '_[_]') return accessAnything(values[0], values[1])
      if (name === '_[?_]') return accessMaybe(values[0], values[1])
      return dispatch(name, candidates, values, evaluator)
    },
  }
}

function overloadWords(name: string, types: readonly EngineType[], isMember: boolean): string {
  const words = types.map(typeWords)
  const applied = isMember ? `${words[0]}.(${words.slice(1).join(', ')})` : `(${words.join(', ')})`
  return `found no matching overload for '${name}' applied to '${applied}'`
}
