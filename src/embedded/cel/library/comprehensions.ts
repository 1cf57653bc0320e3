import type { ASTNode } from '@marcbachmann/cel-js'
import type { Checker, EngineType, Evaluator, InnerScope, Meaning, Scope } from './engine.ts'
import { lookUp } from './equality.ts'
import { sortedBy } from './lists.ts'
import { failureAt } from './places.ts'
import { isAssignable, typeWords } from './types.ts'

/** A macro that goes over a list or a map: names, then perhaps a condition, then what is to be done. */
export interface Loop {
  readonly call: ASTNode
  readonly name: string
  readonly range: ASTNode
  readonly names: readonly string[]
  readonly filter: ASTNode | undefined
  readonly body: ASTNode
}

/** What a loop gives, by the types that its parts have. */
type Result = (
  checker: Checker,
  types: { item: EngineType; key: EngineType; body: EngineType },
  loop: Loop,
) => EngineType
/** What it comes to. `each` gives the value of the body for every item that passes the condition. */
type Run = (each: Generator<Turn>) => unknown

interface Turn {
  readonly key: unknown
  readonly item: unknown
  /** To be asked before the next turn. Throws what the body throws. */
  value(): unknown
}

interface Kind {
  readonly result: Result
  readonly run: Run
}

const bool: Result = (checker) => checker.getType('bool')

/** The first false or true decides, whatever failed before it; if none does, the first failure counts. */
const quantifier =
  (decides: boolean): Run =>
  (each) => {
    let failure: { readonly error: unknown } | undefined
    for (const turn of each) {
      try {
        const value = truth(turn.value())
        if (value === decides) return decides
      } catch (error) {
        failure ??= { error }
      }
    }
    if (failure) throw failure.error
    return !decides
  }

function truth(value: unknown): boolean {
  if (typeof value !== 'boolean') throw new Error('no such overload')
  return value
}

const exactlyOne: Run = (each) => {
  let count = 0
  for (const turn of each) if (truth(turn.value())) count++
  return count === 1
}

const listOf: Result = (checker, { body }) => checker.registry.getListType(body)

const mapped: Run = (each) => Array.from(each, (turn) => turn.value())
const filtered: Run = (each) => {
  const kept: unknown[] = []
  for (const turn of each) if (truth(turn.value())) kept.push(turn.item)
  return kept
}

function insert(map: Map<unknown, unknown>, key: unknown, value: unknown): void {
  if (lookUp(map, key) !== undefined) throw new Error(`insert failed: key ${String(key)} already exists`)
  map.set(key, value)
}

const intoMap: Run = (each) => {
  const map = new Map<unknown, unknown>()
  for (const turn of each) insert(map, turn.key, turn.value())
  return map
}

const intoEntries: Run = (each) => {
  const map = new Map<unknown, unknown>()
  for (const turn of each) {
    const entries = turn.value()
    if (!(entries instanceof Map)) throw new Error('no such overload')
    for (const [key, value] of entries) insert(map, key, value)
  }
  return map
}

const entriesType: Result = (checker, { body }, loop) => {
  if (body.kind === 'map') return body
  if (body.kind === 'dyn') return checker.getType('map<dyn, dyn>')
  throw failureAt(
    loop.call,
    `found no matching overload for 'cel.@mapInsert' applied to '(map(dyn, dyn), ${typeWords(body)})'`,
  )
}

const comparable = ['int', 'uint', 'double', 'bool', 'string', 'bytes']
const isComparable = ({ kind, name }: EngineType): boolean =>
  kind === 'dyn' || kind === 'param' || comparable.includes(name) || name.startsWith('google.protobuf.')

const sortedType: Result = (checker, { item, body }, loop) => {
  const type = checker.registry.getListType(item)
  if (isComparable(body)) return type
  const words = `'${typeWords(type)}.(${typeWords(checker.registry.getListType(body))})'`
  throw failureAt(loop.call, `found no matching overload for '@sortByAssociatedKeys' applied to ${words}`)
}

const sorted: Run = (each) => {
  const turns = Array.from(each, (turn) => ({ item: turn.item, key: turn.value() }))
  return sortedBy(
    turns.map(({ item }) => item),
    turns.map(({ key }) => key),
  )
}

const one: Kind = { result: bool, run: exactlyOne }

const kinds: Readonly<Record<string, Kind>> = {
  all: { result: bool, run: quantifier(false) },
  exists: { result: bool, run: quantifier(true) },
  exists_one: one,
  existsOne: one,
  map: { result: listOf, run: mapped },
  filter: { result: (checker, { item }) => checker.registry.getListType(item), run: filtered },
  transformList: { result: listOf, run: mapped },
  transformMap: { result: (checker, { key, body }) => checker.registry.getMapType(key, body), run: intoMap },
  transformMapEntry: { result: entriesType, run: intoEntries },
  sortBy: { result: sortedType, run: sorted },
}

/** Of a macro how many names it has, by the number of its arguments. */
const forms: Readonly<Record<string, number>> = {
  ...Object.fromEntries(['all', 'exists', 'exists_one', 'map', 'filter', 'sortBy'].map((name) => [`${name} 2`, 1])),
  ...Object.fromEntries(['all', 'exists', 'exists_one', 'existsOne'].map((name) => [`${name} 3`, 2])),
  'map 3': 1,
  ...Object.fromEntries(
    ['transformList', 'transformMap', 'transformMapEntry'].flatMap((name) => [
      [`${name} 3`, 2],
      [`${name} 4`, 2],
    ]),
  ),
}

/** Undefined for a call that is no such macro. */
export function loopOf(call: ASTNode): Loop | undefined {
  if (call.op !== 'rcall') return undefined
  const [name, range, args] = call.args as [string, ASTNode, ASTNode[]]
  const count = forms[`${name} ${args.length}`]
  if (count === undefined || (name === 'sortBy' && range.op === 'value')) return undefined
  const names = args.slice(0, count).map((argument) => nameOf(argument))
  if (count === 2 && names[0] === names[1]) throw failureAt(args[1] as ASTNode, `duplicate variable name: ${names[0]}`)
  const rest = args.slice(count)
  return { call, name, range, names, filter: rest.length === 2 ? rest[0] : undefined, body: rest.at(-1) as ASTNode }
}

function nameOf(node: ASTNode): string {
  if (node.op === 'id') return node.args
  throw failureAt(node, 'argument must be a simple name')
}

/** Types of the key and of the item. */
function rangeTypes(checker: Checker, range: ASTNode, scope: Scope): [key: EngineType, item: EngineType] {
  const type = checker.check(range, scope)
  if (type.kind === 'list') return [checker.getType('int'), type.valueType as EngineType]
  if (type.kind === 'map') return [type.keyType as EngineType, type.valueType as EngineType]
  const any = checker.getType('dyn')
  if (type.kind === 'dyn' || type.kind === 'param') return [any, any]
  throw failureAt(
    range,
    `expression of type '${typeWords(type)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
  )
}

export function meaningOf(loop: Loop): Meaning {
  const { name, range, names, filter, body } = loop
  const { result, run } = kinds[name] as Kind
  const scopes: InnerScope[] = []
  return {
    typeCheck(checker, _, scope) {
      const [key, item] = rangeTypes(checker, range, scope)
      const isMap = checker.check(range, scope).kind === 'map'
      const types = names.length === 2 ? [key, item] : [isMap ? key : item]
      scopes.length = 0
      names.forEach((variable, index) => {
        scopes.push((scopes.at(-1) ?? scope).forkWithVariable(variable, types[index] as EngineType))
      })
      const inner = scopes.at(-1) as InnerScope
      const filterType = filter && checker.check(filter, inner)
      const bodyType = checker.check(body, inner)
      for (const declared of scopes) declared.iterType = checker.getType('dyn')
      const found = { item: isMap && names.length === 1 ? key : item, key, body: bodyType }
      checkCondition(checker, loop, filterType, found)
      return result(checker, found, loop)
    },
    evaluate: (evaluator, _, scope) => run(turns(loop, scopes, evaluator, scope)),
  }
}

/** A condition must be true or false. CEL writes most of them as `condition ? … : …`. */
function checkCondition(
  checker: Checker,
  { call, name, filter, body }: Loop,
  filterType: EngineType | undefined,
  types: { item: EngineType; body: EngineType },
): void {
  const bool = checker.getType('bool')
  const isQuantifier = name === 'all' || name === 'exists'
  if (isQuantifier && !isAssignable(bool, types.body))
    throw failureAt(body, `expected type 'bool' but found '${typeWords(types.body)}'`, call)
  const isCounting = name === 'exists_one' || name === 'existsOne'
  const condition = isCounting || name === 'filter' ? types.body : filter && filterType
  if (!condition || isAssignable(bool, condition)) return
  const kept = isCounting
    ? checker.getType('int')
    : checker.registry.getListType(name === 'filter' ? types.item : types.body)
  const words = [condition, kept, kept].map(typeWords).join(', ')
  throw failureAt(call, `found no matching overload for '_?_:_' applied to '(${words})'`)
}

function* turns(
  { range, filter, body }: Loop,
  scopes: readonly InnerScope[],
  evaluator: Evaluator,
  scope: Scope,
): Generator<Turn> {
  const over = evaluator.run(range, scope)
  const [first, second] = scopes as [InnerScope, InnerScope?]
  const isKeyTaken = over instanceof Map && second === undefined
  for (const [key, held] of entriesOf(over, second !== undefined)) {
    const item = isKeyTaken ? key : held
    const outer = first.reuse(scope).setIterValue(second ? key : item, evaluator)
    const inner = second ? second.reuse(outer).setIterValue(item, evaluator) : outer
    if (filter && !truth(evaluator.run(filter, inner))) continue
    yield { key, item, value: () => evaluator.run(body, inner) }
  }
}

/** The number of an item is made only for those who ask for it. */
function* entriesOf(over: unknown, areKeysAsked: boolean): Generator<[unknown, unknown]> {
  if (over instanceof Map) yield* over
  else if (Array.isArray(over))
    for (let index = 0; index < over.length; index++) yield [areKeysAsked ? BigInt(index) : undefined, over[index]]
  else throw new Error(`got '${goTypeOf(over)}', expected iterable type`)
}

const goTypes: Readonly<Record<string, string>> = { bigint: 'Int', number: 'Double', string: 'String', boolean: 'Bool' }

const goTypeOf = (value: unknown): string => `types.${goTypes[typeof value] ?? (value === null ? 'Null' : 'Uint')}`
