import type { Checker, EngineType, Evaluator } from './engine.ts'
import { typeNameOf } from './format-text.ts'
import { bound, isAssignable } from './types.ts'
import { fits } from './values-fit.ts'

/** One form of a function: what it takes, what it gives, and how. */
export interface Overload {
  readonly name: string
  /** Called on its first argument: `text.size()`. */
  readonly isMember: boolean
  /** Names of types; a single capital letter is a type that must be the same wherever it stands. */
  readonly takes: readonly string[]
  readonly gives: string
  // biome-ignore lint/suspicious/noExplicitAny: what it is given has the types that it takes
  readonly run: (...values: any[]) => unknown
}

/** Functions whose names have a dot are not called on anything. */
const namespaces: ReadonlySet<string> = new Set(['sets', 'ip', 'format', 'lists', 'optional', 'strings'])

const signaturePattern = /^(?:([\w.<>, ]+)\.)?(\S+?)\((.*)\): (.+)$/

/** `string.replace(string, string): string` is called on a string, `sets.contains(list<T>, list<T>): bool` is not. */
export function overload(signature: string, run: Overload['run']): Overload {
  const [, before, name = '', taken = '', gives = ''] = signaturePattern.exec(signature) ?? []
  const takes = split(taken)
  if (before === undefined) return { name, isMember: false, takes, gives, run }
  if (namespaces.has(before)) return { name: `${before}.${name}`, isMember: false, takes, gives, run }
  return { name, isMember: true, takes: [before, ...takes], gives, run }
}

/** At the commas that stand in no brackets. */
const split = (list: string): string[] => list.match(/[^,<\s]+(?:<[^()]*?>+)?/g) ?? []

/** The forms that a call may mean, and what it then gives. Undefined if it can mean none. */
export function resolve(
  overloads: readonly Overload[],
  given: readonly EngineType[],
  checker: Checker,
): { readonly candidates: readonly Overload[]; readonly type: EngineType } | undefined {
  const candidates: Overload[] = []
  let type: EngineType | undefined
  for (const candidate of overloads) {
    const result = resultOf(candidate, given, checker)
    if (result === undefined) continue
    candidates.push(candidate)
    type = type === undefined || type === result ? result : checker.getType('dyn')
  }
  return type && { candidates, type }
}

function resultOf({ takes, gives }: Overload, given: readonly EngineType[], checker: Checker): EngineType | undefined {
  if (takes.length !== given.length) return undefined
  const bindings = new Map<string, EngineType>()
  const isGood = takes.every((name, index) => isAssignable(checker.getType(name), given[index] as EngineType, bindings))
  return isGood ? bound(checker.getType(gives), bindings, checker) : undefined
}

/** Runs the first form whose types these values have. */
export function dispatch(
  name: string,
  candidates: readonly Overload[],
  values: unknown[],
  evaluator: Evaluator,
): unknown {
  for (const { takes, run } of candidates) if (areFit(takes, values, evaluator)) return run(...values)
  throw new Error(`no such overload${named(name, values)}`)
}

function areFit(takes: readonly string[], values: readonly unknown[], evaluator: Evaluator): boolean {
  for (let index = 0; index < takes.length; index++)
    if (!fits(takes[index] as string, values[index], evaluator)) return false
  return true
}

/** Operators are not named, nor are these. */
const unnamed: ReadonlySet<string> = new Set(['contains', 'startsWith', 'endsWith', 'matches', 'find', 'findAll'])

const named = (name: string, values: readonly unknown[]): string =>
  /^[_@!-]/.test(name) || unnamed.has(name)
    ? ''
    : name === 'size'
      ? ': size'
      : `: ${name}(${values.map(typeNameOf).join(', ')})`
