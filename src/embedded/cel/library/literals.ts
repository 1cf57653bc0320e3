import type { ASTNode } from '@marcbachmann/cel-js'
import { patternOf } from '../../../core/schema/check.ts'
import { CompileFailure } from '../compile-failure.ts'
import { nodesOf, partsOf } from '../shape.ts'
import type { EngineType } from './engine.ts'
import { clauses, parseFormat } from './format-text.ts'
import { functions } from './library.ts'
import { dispatch } from './overloads.ts'
import { failureAt } from './places.ts'
import { isSameType, typeWords } from './types.ts'

/** Refuses what is written out and cannot be good, in an expression that was checked. */
export function checkLiterals(root: ASTNode): void {
  const exempt = new Set(
    Array.from(nodesOf(root))
      .filter(isFormat)
      .flatMap((call) => partsOf(call.args).flatMap((part) => [...nodesOf(part)])),
  )
  for (const node of nodesOf(root)) if (!exempt.has(node)) checkOneType(node)
  for (const node of nodesOf(root)) checkLiteral(node)
  for (const node of nodesOf(root)) constantOf(node)
  for (const node of nodesOf(root)) checkPattern(node)
}

const isFormat = (node: ASTNode): boolean => node.op === 'rcall' && node.args[0] === 'format'

/** The items of a list have one type, and so have the keys and the values of a map. */
function checkOneType(node: ASTNode): void {
  if (node.op === 'list') checkSame(node.args)
  if (node.op !== 'map') return
  const entries = node.args as unknown as [ASTNode, ASTNode][]
  checkSame(entries.map(([key]) => key))
  checkSame(entries.map(([, value]) => value))
}

const typeOf = (node: ASTNode): EngineType => (node as unknown as { checkedType: EngineType }).checkedType

function checkSame([first, ...others]: readonly ASTNode[]): void {
  if (first === undefined) return
  const different = others.find((other) => !isSameType(typeOf(first), typeOf(other)))
  if (different)
    throw failureAt(
      different,
      `expected type '${typeWords(typeOf(first))}' but found '${typeWords(typeOf(different))}'`,
    )
}

const textOf = (node: ASTNode | undefined): string | undefined =>
  node?.op === 'value' && typeof node.args === 'string' ? node.args : undefined

const isGood = (act: () => unknown): boolean => {
  try {
    return act() !== undefined
  } catch {
    return false
  }
}

const readers: Readonly<Record<string, (value: unknown) => unknown>> = {
  duration: (value) => converted('duration', value),
  timestamp: (value) => converted('timestamp', value),
  matches: (value) => (typeof value === 'string' ? patternOf(value) : true),
}

function checkLiteral(node: ASTNode): void {
  if (node.op !== 'call' && node.op !== 'rcall') return
  const name = node.args[0]
  const args = node.args.at(-1) as ASTNode[]
  const last = args.at(-1)
  const read = Object.hasOwn(readers, name) ? readers[name] : undefined
  if (read && last?.op === 'value' && !isGood(() => read(last.args)))
    throw failureAt(last as ASTNode, `invalid ${name} argument`)
  if (node.op === 'rcall' && name === 'format') checkFormat(node, node.args[1], last)
}

function checkFormat(call: ASTNode, receiver: ASTNode, list: ASTNode | undefined): void {
  const format = textOf(receiver)
  if (format === undefined || list?.op !== 'list') return
  const items = list.args
  let used = 0
  for (const clause of parsed(call, format)) {
    if (typeof clause === 'string') continue
    const item = items[used]
    if (item === undefined) throw failureAt(call, `index ${used} out of range`)
    used++
    const { takes, refusal } = clauses[clause.verb] as (typeof clauses)[string]
    const type = typeNameOf(item)
    if (type !== 'dyn' && !takes.includes(type)) throw failureAt(item, `error during formatting: ${refusal} ${type}`)
  }
  if (items.length > used)
    throw failureAt(call, `too many arguments supplied to string.format (expected ${used}, got ${items.length})`)
}

function parsed(call: ASTNode, format: string) {
  try {
    return parseFormat(format)
  } catch (error) {
    throw failureAt(call, (error as Error).message)
  }
}

function typeNameOf(node: ASTNode): string {
  const type = typeOf(node)
  if (type.kind === 'dyn' || type.kind === 'param') return 'dyn'
  return type.kind === 'list' || type.kind === 'map' ? type.kind : type.name
}

const foldable: ReadonlySet<string> = new Set([
  ...['bool', 'bytes', 'double', 'duration', 'dyn', 'int', 'string', 'timestamp', 'uint'],
])

/** Conversions of what is written out are done at once, and may fail already then. */
function constantOf(node: ASTNode): { readonly value: unknown } | undefined {
  if (node.op === 'value') return { value: node.args }
  if (node.op === '-_' && node.args.op === 'value' && typeof node.args.args !== 'string')
    return { value: -(node.args.args as number) }
  if (node.op !== 'call' || !foldable.has(node.args[0]) || node.args[1].length !== 1) return undefined
  const constant = constantOf(node.args[1][0] as ASTNode)
  if (constant === undefined) return undefined
  return atOnce(() => ({ value: converted(node.args[0], constant.value) }))
}

const none = { kind: 'dyn', name: '' }

const converted = (name: string, value: unknown): unknown =>
  dispatch(name, functions.get(name) ?? [], [value], { debugType: () => none } as never)

function atOnce<T>(act: () => T): T {
  try {
    return act()
  } catch (error) {
    throw new CompileFailure(`program instantiation failed: ${(error as Error).message}`)
  }
}

function checkPattern(node: ASTNode): void {
  if (node.op !== 'rcall' || !['matches', 'find', 'findAll'].includes(node.args[0])) return
  const [argument] = node.args[2] as ASTNode[]
  const pattern = argument && constantOf(argument)
  if (typeof pattern?.value === 'string') atOnce(() => patternOf(String(pattern.value)))
}
