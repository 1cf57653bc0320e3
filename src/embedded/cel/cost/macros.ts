import type { ASTNode } from '@marcbachmann/cel-js'
import type { Call, Expression } from './expression.ts'
import { bind, call, hidden, listOfItems, literal, memberCall, named, one, yes } from './expression.ts'
import type { Scope, WriteOut } from './scope.ts'
import { select, withNames } from './scope.ts'
import type { CelType } from './types.ts'
import { bool, dyn, int, listOf, mapOf, optionalOf, parameter } from './types.ts'

type Write = (receiver: ASTNode, args: readonly ASTNode[], scope: Scope, writeOut: WriteOut) => Expression

const none = { kind: 'list', type: listOf(dyn), items: [] } as const

/** Whether these arguments make it a macro: `indexOf` and the like take values, these take names. */
export const isMacro = (name: string, hasReceiver: boolean, args: readonly ASTNode[]): boolean =>
  hasReceiver ? macroOf(name, args.length) !== undefined && args[0]?.op === 'id' : name === 'has'

export function writeOutMacro(
  name: string,
  receiver: ASTNode | undefined,
  args: readonly ASTNode[],
  scope: Scope,
  writeOut: WriteOut,
): Expression {
  const write = receiver && macroOf(name, args.length)
  if (write) return write(receiver, args, scope, writeOut)
  const [asked] = args
  return asked?.op === '.' ? select(writeOut(asked.args[0], scope), asked.args[1], true) : yes
}

function macroOf(name: string, count: number): Write | undefined {
  const isPair = count === 3
  switch (name) {
    case 'all':
    case 'exists':
    case 'exists_one':
    case 'existsOne':
      return count === 2 || isPair ? quantifier(name, count - 1) : undefined
    case 'map':
      return count === 2 || isPair ? collector(1) : undefined
    case 'filter':
      return count === 2 ? filter : undefined
    case 'transformList':
      return isPair || count === 4 ? collector(2) : undefined
    case 'transformMap':
    case 'transformMapEntry':
      return isPair || count === 4 ? mapCollector(name) : undefined
    case 'sortBy':
      return count === 2 ? sortBy : undefined
    case 'optMap':
    case 'optFlatMap':
      return count === 2 ? optional(name) : undefined
    default:
      return undefined
  }
}

const nameOf = (node: ASTNode | undefined): string => (node?.op === 'id' ? node.args : '')

interface Loop {
  readonly start: Expression
  readonly condition?: Expression
  readonly step: Expression
  readonly result?: Expression
}

function over(range: Expression, names: readonly string[], { start, condition = yes, step, result }: Loop): Expression {
  const end = result ?? named(hidden, step.type)
  return {
    kind: 'comprehension',
    type: end.type,
    range,
    names: names as [string],
    accumulator: hidden,
    start,
    condition,
    step,
    result: end,
  }
}

function scopeOver({ type }: Expression, names: readonly string[], scope: Scope): Scope {
  const [first = '', second] = names
  const isMap = type.kind === 'map'
  const value = isMap ? parameter(type, 1) : parameter(type)
  if (second === undefined) return withNames(scope, [first, isMap ? parameter(type) : value])
  return withNames(scope, [first, isMap ? parameter(type) : type.kind === 'list' ? int : dyn], [second, value])
}

const accumulated = (type: CelType): Expression => named(hidden, type)

const choose = (condition: Expression, step: Call): Call =>
  call('_?_:_', step.type, condition, step, accumulated(step.type))

const quantifier =
  (name: string, nameCount: number): Write =>
  (receiver, args, scope, writeOut) => {
    const range = writeOut(receiver, scope)
    const names = args.slice(0, nameCount).map(nameOf)
    const predicate = writeOut(args[nameCount] as ASTNode, scopeOver(range, names, scope))
    if (name === 'all')
      return over(range, names, {
        start: yes,
        condition: call('@not_strictly_false', bool, accumulated(bool)),
        step: call('_&&_', bool, accumulated(bool), predicate),
      })
    if (name === 'exists')
      return over(range, names, {
        start: literal(false, bool),
        condition: call('@not_strictly_false', bool, call('!_', bool, accumulated(bool))),
        step: call('_||_', bool, accumulated(bool), predicate),
      })
    return over(range, names, {
      start: literal(0n, int),
      step: choose(predicate, call('_+_', int, accumulated(int), one)),
      result: call('_==_', bool, accumulated(int), one),
    })
  }

const appended = (item: Expression): Call => {
  const type = listOf(item.type)
  return call('_+_', type, accumulated(type), listOfItems(type, item))
}

const collect = (range: Expression, names: readonly string[], condition: Expression | undefined, step: Call) =>
  over(range, names, { start: { ...none, type: step.type }, step: condition ? choose(condition, step) : step })

/** `map` and `transformList`, with a condition before what they make or without. */
const collector =
  (nameCount: number): Write =>
  (receiver, args, scope, writeOut) => {
    const range = writeOut(receiver, scope)
    const names = args.slice(0, nameCount).map(nameOf)
    const inside = scopeOver(range, names, scope)
    const parts = args.slice(nameCount).map((part) => writeOut(part, inside))
    return collect(range, names, parts.length > 1 ? parts[0] : undefined, appended(parts.at(-1) as Expression))
  }

const filter: Write = (receiver, [item, predicate], scope, writeOut) => {
  const range = writeOut(receiver, scope)
  const name = nameOf(item)
  const inside = scopeOver(range, [name], scope)
  const kept = appended(named(name, inside.get(name) ?? dyn))
  return collect(range, [name], writeOut(predicate as ASTNode, inside), kept)
}

const mapCollector =
  (name: string): Write =>
  (receiver, args, scope, writeOut) => {
    const range = writeOut(receiver, scope)
    const names = args.slice(0, 2).map(nameOf)
    const inside = scopeOver(range, names, scope)
    const parts = args.slice(2).map((part) => writeOut(part, inside))
    const made = parts.at(-1) as Expression
    const keyName = names[0] as string
    const keyType = inside.get(keyName) ?? dyn
    const type = name === 'transformMap' ? mapOf(keyType, made.type) : made.type
    const added = name === 'transformMap' ? [named(keyName, keyType), made] : [made]
    const step = call('cel.@mapInsert', type, accumulated(type), ...added)
    return over(range, names, {
      start: { kind: 'map', type, entries: [] },
      step: parts.length > 1 ? choose(parts[0] as Expression, step) : step,
    })
  }

const sortBy: Write = (receiver, [item, key], scope, writeOut) => {
  const input = '@__sortBy_input__'
  const list = writeOut(receiver, scope)
  const range = named(input, list.type)
  const names = [nameOf(item)]
  const keys = collect(range, names, undefined, appended(writeOut(key as ASTNode, scopeOver(list, names, scope))))
  return bind(input, list, memberCall(named(input, list.type), '@sortByAssociatedKeys', list.type, keys))
}

const optional =
  (name: string): Write =>
  (receiver, [variable, made], scope, writeOut) => {
    const asked = writeOut(receiver, scope)
    const held = parameter(asked.type)
    const value = memberCall(writeOut(receiver, scope), 'value', held)
    const result = writeOut(made as ASTNode, withNames(scope, [nameOf(variable), held]))
    const bound = bind(nameOf(variable), value, result)
    const type = name === 'optMap' ? optionalOf(result.type) : result.type
    const present = name === 'optMap' ? call('optional.of', type, bound) : bound
    const empty = call('optional.none', optionalOf(dyn))
    return call('_?_:_', type, memberCall(asked, 'hasValue', bool), present, empty)
  }
