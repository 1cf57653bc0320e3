import type { ASTNode, ObjectSchema } from '@marcbachmann/cel-js'
import { Environment } from '@marcbachmann/cel-js'
import { BoundedMap } from '../../kube/bounded-map.ts'
import { addAuthorizer, authorizerType } from './authorizer.ts'
import type { Flaw } from './compile-failure.ts'
import { CompileFailure, compileFailure, compileFailureOf, evaluationFailure } from './compile-failure.ts'
import type { Metered } from './cost/budget.ts'
import type { Meter } from './cost/meter.ts'
import { metered } from './cost/metered.ts'
import { selectFields } from './field-selection.ts'
import { equip } from './library/equip.ts'
import { addFunctions, functions as libraryFunctions } from './library/library.ts'
import { checkLiterals } from './library/literals.ts'
import { ObjectValue } from './object-value.ts'
import { nodesOf, shaped } from './shape.ts'
import { syntaxFlaws } from './syntax-flaws.ts'
import { withoutRootDots } from './tokens.ts'
import { fromCel, toCel } from './values.ts'

export { CompileFailure } from './compile-failure.ts'

/** An expression that was understood. Throws an Error with CEL's words when it cannot be evaluated on these values. */
export interface Program {
  /** Values are JSON, and so is the result. Only those that the expression names are looked at. */
  (values: Readonly<Record<string, unknown>>): unknown
  /** `bool`, `string`, `list<string>`…; `dyn` when only the values will tell. */
  readonly type: string
  /** As it was checked: its nodes carry their types. */
  readonly ast: ASTNode
}

/** Fields and their types, for a variable whose fields are known: `{ user: 'string', groups: 'list<string>' }`. */
export type Fields = ObjectSchema

/**
 * Names of variables that can be anything, or what they are: `dyn`, fields beyond which none may be named, or an
 * `authorizer`, whose value is a `CelAuthorizer`.
 */
export type Variables = readonly string[] | Readonly<Record<string, 'dyn' | 'authorizer' | Fields>>

/** What expressions are compiled in: the functions and the variables that there are. */
export interface Setting {
  readonly environment: Environment
  readonly functions: ReadonlySet<string>
}

interface NamedSetting extends Setting {
  readonly key: string
  readonly names: readonly string[]
}

/** An expression that was understood, over values of CEL. Throws an Error with CEL's words. */
export interface Understood extends Metered {
  readonly type: string
  readonly ast: ASTNode
}

/** To set up an environment costs far more than to compile in it, and there are few different ones. */
const settings = new BoundedMap<string, NamedSetting>(64)
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
    program = programOf(expression, setting)
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

function settingOf(variables: Variables): NamedSetting {
  const key = Array.isArray(variables) ? variables.join() : JSON.stringify(variables)
  let setting = settings.get(key)
  if (setting === undefined) {
    const environment = newEnvironment()
    const types = isList(variables) ? Object.fromEntries(variables.map((name) => [name, 'dyn' as const])) : variables
    for (const [name, type] of Object.entries(types))
      if (type === 'dyn') environment.registerVariable(name, type)
      else if (type === 'authorizer') environment.registerVariable(name, authorizerType)
      else environment.registerVariable(name, { schema: type })
    setting = { ...settingIn(environment), key, names: Object.keys(types) }
    settings.set(key, setting)
  }
  return setting
}

const isList = (variables: Variables): variables is readonly string[] => Array.isArray(variables)

let base: Environment | undefined

/** None of the library's own that an expression of the size that is allowed could meet: Kubernetes has others. */
const limits = { maxAstNodes: 1e6, maxDepth: 1000, maxListElements: 1e6, maxMapEntries: 1e6, maxCallArguments: 1e6 }

/** With the functions of Kubernetes, for variables and types to be added. */
export function newEnvironment(): Environment {
  if (base === undefined) {
    base = new Environment({ enableOptionalTypes: true, homogeneousAggregateLiterals: false, limits })
    addFunctions(base)
    addAuthorizer(base)
  }
  return base.clone()
}

/** Of an environment to which nothing will be added any more. */
export const settingIn = (environment: Environment): Setting => ({
  environment,
  functions: new Set(environment.getDefinitions().functions.map(({ name }) => name)),
})

function programOf(expression: string, setting: NamedSetting): Program {
  const { type, ast, run } = understand(expression, setting)
  const used = setting.names.filter((name) => expression.includes(name))
  return Object.assign((values: Readonly<Record<string, unknown>>) => evaluate(run, used, values), { type, ast })
}

/** The same as `compile` for an environment of one's own, and for values of CEL in place of JSON. */
export function understand(expression: string, { environment, functions }: Setting): Understood {
  const isKnown = (name: string) => functions.has(name) || libraryFunctions.has(name)
  const misspelt = syntaxFlaws(expression)
  if (misspelt.length > 0) throw compileFailureOf(expression, misspelt)
  try {
    const run = environment.parse(withoutRootDots(expression))
    const tooDeep = shaped(run.ast)
    if (tooDeep.length > 0) throw compileFailureOf(expression, tooDeep)
    selectFields(nodesOf(run.ast))
    equip(run.ast)
    const type = checkedType(expression, run, isKnown)
    checkLiterals(run.ast)
    for (const { node, name } of calls(run.ast)) if (name === 'type') tellObjectsAsMaps(node)
    const meter = metered(run.ast)
    return { type, ast: run.ast, meter, run: (values, stepsLeft) => evaluated(run, meter, values, stepsLeft) }
  } catch (error) {
    throw error instanceof CompileFailure ? error : compileFailure(expression, error, isKnown)
  }
}

/** As many as are looked for in one expression. */
const mostFlaws = 1000

/** The library stops at the first part that has no type. That part is taken for anything then, to find the others. */
function checkedType(expression: string, run: Parsed, isKnown: (name: string) => boolean): string {
  const flaws: Flaw[] = []
  while (flaws.length < mostFlaws) {
    const { valid, error, type = 'dyn' } = run.check()
    if (valid && flaws.length === 0) return type
    if (valid) break
    const failure = error instanceof CompileFailure ? error : compileFailure(expression, error, isKnown)
    flaws.push(...failure.flaws)
    const node = failure.node as { checkedType?: unknown } | undefined
    if (node === undefined || node.checkedType !== undefined) break
    node.checkedType = errorType
  }
  throw compileFailureOf(expression, flaws)
}

/** To Kubernetes, `type(self)` is a map: what a schema declares is known to the checker only. */
function tellObjectsAsMaps(node: ASTNode): void {
  const checked = node as { handle?: (values: unknown[], ...rest: unknown[]) => unknown }
  const { handle } = checked
  if (!handle) return
  const map: unknown = newEnvironment().evaluate('map')
  checked.handle = (values, ...rest) => (values[0] instanceof ObjectValue ? map : handle(values, ...rest))
}

type Parsed = ReturnType<Environment['parse']>

/** Of a part that is wrong: it goes with anything, so that it is told of once. */
const errorType = { kind: 'dyn', type: 'dyn', name: '!error!', hasDynType: true, toString: () => 'dyn' }

function evaluate(
  run: (values: Record<string, unknown>) => unknown,
  used: readonly string[],
  values: Readonly<Record<string, unknown>>,
): unknown {
  const converted: Record<string, unknown> = {}
  for (const name of used) converted[name] = toCel(values[name])
  return fromCel(run(converted))
}

function evaluated(
  run: Parsed,
  meter: Meter,
  values: Readonly<Record<string, unknown>>,
  stepsLeft: number | undefined,
): unknown {
  meter.start(stepsLeft)
  try {
    return run(values as Record<string, unknown>)
  } catch (error) {
    throw evaluationFailure(error)
  } finally {
    meter.end()
  }
}

function* calls(root: ASTNode): Generator<{ node: ASTNode; name: unknown }> {
  for (const node of nodesOf(root)) if (node.op === 'call') yield { node, name: node.args[0] }
}
