import type { ASTNode, ObjectSchema } from '@marcbachmann/cel-js'
import { Environment } from '@marcbachmann/cel-js'
import { BoundedMap } from '../../kube/bounded-map.ts'
import { addAuthorizer, authorizerType } from './authorizer.ts'
import {
  CompileFailure,
  compileFailure,
  compileFailureAt,
  evaluationFailure,
  isOpaque,
  noSuchField,
  typeOf,
  undeclared,
} from './compile-failure.ts'
import { addFunctions, matchesHere, notInKubernetes, pattern } from './functions.ts'
import { fromCel, toCel } from './values.ts'

export { CompileFailure } from './compile-failure.ts'

/** An expression that was understood. Throws an Error with CEL's words when it cannot be evaluated on these values. */
export interface Program {
  /** Values are JSON, and so is the result. Only those that the expression names are looked at. */
  (values: Readonly<Record<string, unknown>>): unknown
  /** `bool`, `string`, `list<string>`…; `dyn` when only the values will tell. */
  readonly type: string
}

/** Fields and their types, for a variable whose fields are known: `{ user: 'string', groups: 'list<string>' }`. */
export type Fields = ObjectSchema

/**
 * Names of variables that can be anything, or what they are: `dyn`, fields beyond which none may be named, or an
 * `authorizer`, whose value is a `CelAuthorizer`.
 */
export type Variables = readonly string[] | Readonly<Record<string, 'dyn' | 'authorizer' | Fields>>

interface Setting {
  readonly key: string
  readonly environment: Environment
  readonly functions: ReadonlySet<string>
  readonly names: readonly string[]
}

/** To set up an environment costs far more than to compile in it, and there are few different ones. */
const settings = new BoundedMap<string, Setting>(64)
const programs = new BoundedMap<string, Program>(4096)

/**
 * Understands an expression, or throws a `CompileFailure` in the words of Kubernetes: for a syntax error, for a variable,
 * field or function that there is not, for types that do not go together.
 */
export function compile(expression: string, variables: Variables): Program {
  const setting = settingOf(variables)
  const key = `${setting.key}\n${expression}`
  let program = programs.get(key)
  if (program === undefined) {
    program = understand(expression, setting)
    programs.set(key, program)
  }
  return program
}

/** The same for an expression that must come to true or false. */
export function compileCondition(expression: string, variables: Variables): Program {
  const program = compile(expression, variables)
  if (program.type === 'bool') return program
  throw new CompileFailure(`must evaluate to bool but got ${program.type.replaceAll('<', '(').replaceAll('>', ')')}`)
}

function settingOf(variables: Variables): Setting {
  const key = Array.isArray(variables) ? variables.join() : JSON.stringify(variables)
  let setting = settings.get(key)
  if (setting === undefined) {
    const environment = new Environment({ enableOptionalTypes: true, homogeneousAggregateLiterals: false })
    addFunctions(environment)
    const types = isList(variables) ? Object.fromEntries(variables.map((name) => [name, 'dyn' as const])) : variables
    if (Object.values(types).includes('authorizer')) addAuthorizer(environment)
    for (const [name, type] of Object.entries(types))
      if (type === 'dyn') environment.registerVariable(name, type)
      else if (type === 'authorizer') environment.registerVariable(name, authorizerType)
      else environment.registerVariable(name, { schema: type })
    const functions = new Set(environment.getDefinitions().functions.map(({ name }) => name))
    setting = { key, environment, functions, names: Object.keys(types) }
    settings.set(key, setting)
  }
  return setting
}

const isList = (variables: Variables): variables is readonly string[] => Array.isArray(variables)

function understand(expression: string, { environment, functions, names }: Setting): Program {
  const isKnown = (name: string) => functions.has(name) && !notInKubernetes.has(name)
  try {
    const run = environment.parse(expression)
    for (const call of calls(run.ast)) prepareCall(expression, call, environment)
    const { valid, error, type = 'dyn' } = run.check()
    if (!valid) throw error
    for (const { node, name } of calls(run.ast)) if (name === 'has') checkPresenceTest(expression, node, environment)
    for (const node of nodes(run.ast)) checkAccess(expression, node)
    const used = names.filter((name) => expression.includes(name))
    return Object.assign((values: Readonly<Record<string, unknown>>) => evaluate(run, used, values), { type })
  } catch (error) {
    throw error instanceof CompileFailure ? error : compileFailure(expression, error, isKnown)
  }
}

function evaluate(
  run: (values: Record<string, unknown>) => unknown,
  used: readonly string[],
  values: Readonly<Record<string, unknown>>,
): unknown {
  const converted: Record<string, unknown> = {}
  for (const name of used) converted[name] = toCel(values[name])
  try {
    return fromCel(run(converted))
  } catch (error) {
    throw evaluationFailure(error)
  }
}

/** Refuses what Kubernetes does not have or would refuse already here, and puts our own `matches` in place. */
function prepareCall(expression: string, { node, name }: Call, environment: Environment): void {
  if (notInKubernetes.has(name)) throw compileFailureAt(expression, node.range.start, undeclared(name))
  const literal = (node.args.at(-1) as ASTNode[])[0]
  const isText = literal?.op === 'value' && typeof literal.args === 'string'
  if (isText && !isGoodLiteral(expression, { node, name }, String(literal.args), environment))
    throw compileFailureAt(expression, literal.range.start, `invalid ${name} argument`)
  if (node.op === 'rcall' && name === 'matches') (node.args as unknown[])[0] = matchesHere
}

function isGoodLiteral(expression: string, { node, name }: Call, literal: string, environment: Environment): boolean {
  try {
    if (name === 'matches' || name === 'find' || name === 'findAll') pattern(literal)
    if (node.op === 'call' && (name === 'duration' || name === 'timestamp'))
      environment.evaluate(expression.slice(node.range.start, node.range.end))
    return true
  } catch {
    return false
  }
}

/** The library lets `has()` ask for a field that cannot be there. */
function checkPresenceTest(expression: string, node: Call['node'], environment: Environment): void {
  const [argument] = (node.args as [string, ASTNode[]])[1]
  if (argument?.op !== '.') return
  const checked = (part: ASTNode) => environment.check(expression.slice(part.range.start, part.range.end))
  const [holder, field] = argument.args
  const { type = '' } = checked(holder)
  if (isOpaque(type) || checked(argument).error?.code === 'no_such_key')
    throw compileFailureAt(expression, expression.indexOf('(', node.range.start), noSuchField(field, type))
}

/** The library takes a field of a variable for one of all values of that type, and lets `.?` ask for any. */
function checkAccess(expression: string, node: ASTNode): void {
  if (node.op !== '.' && node.op !== '.?' && node.op !== '[]' && node.op !== '[?]') return
  const [holder, field] = node.args
  const type = typeOf(holder)
  if (!isOpaque(type) || (node.op === '.' && holder.op === 'id')) return
  const at = expression.indexOf(node.op.slice(0, 1), holder.range.end)
  const words =
    typeof field === 'string'
      ? noSuchField(field, type)
      : `found no matching overload for '_${node.op === '[]' ? '[_]' : '[?_]'}' applied to '(${type}, ${typeOf(field)})'`
  throw compileFailureAt(expression, at, words)
}

interface Call {
  readonly node: Extract<ASTNode, { op: 'call' | 'rcall' }>
  readonly name: string
}

function* calls(value: unknown): Generator<Call> {
  for (const node of nodes(value)) if (node.op === 'call' || node.op === 'rcall') yield { node, name: node.args[0] }
}

function* nodes(value: unknown): Generator<ASTNode> {
  if (Array.isArray(value)) {
    for (const item of value) yield* nodes(item)
  } else if (typeof value === 'object' && value !== null && 'op' in value && 'args' in value) {
    const node = value as ASTNode
    yield node
    yield* nodes(node.args)
  }
}
