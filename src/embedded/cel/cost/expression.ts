import type { CelType } from './types.ts'
import { bool, dyn, int, listOf } from './types.ts'

/** An expression as CEL in Go has it: its operators are calls, its macros are written out. */
export type Expression =
  | { readonly kind: 'literal'; readonly type: CelType; readonly value: unknown }
  | { readonly kind: 'name'; readonly type: CelType; readonly name: string }
  | Select
  | Call
  | { readonly kind: 'list'; readonly type: CelType; readonly items: readonly Expression[] }
  | { readonly kind: 'map'; readonly type: CelType; readonly entries: readonly (readonly [Expression, Expression])[] }
  | Comprehension

export interface Select {
  readonly kind: 'select'
  readonly type: CelType
  readonly operand: Expression
  readonly field: string
  /** Only asks whether the field is there. */
  readonly isTest: boolean
}

export interface Call {
  readonly kind: 'call'
  readonly type: CelType
  readonly name: string
  readonly target?: Expression
  readonly args: readonly Expression[]
}

export interface Comprehension {
  readonly kind: 'comprehension'
  readonly type: CelType
  readonly range: Expression
  /** An item or key; or an index or key, and its value. */
  readonly names: readonly [string] | readonly [string, string]
  readonly accumulator: string
  readonly start: Expression
  readonly condition: Expression
  readonly step: Expression
  readonly result: Expression
}

export const literal = (value: unknown, type: CelType): Expression => ({ kind: 'literal', value, type })
export const named = (name: string, type: CelType): Expression => ({ kind: 'name', name, type })
export const listOfItems = (type: CelType, ...items: Expression[]): Expression => ({ kind: 'list', type, items })

export const call = (name: string, type: CelType, ...args: Expression[]): Call => ({ kind: 'call', name, type, args })

export const memberCall = (target: Expression, name: string, type: CelType, ...args: Expression[]): Call => ({
  kind: 'call',
  name,
  type,
  target,
  args,
})

/** No expression can say this name. */
export const hidden = '@result'

export const yes = literal(true, bool)
export const no = literal(false, bool)
export const one = literal(1n, int)

/** A variable for an expression: in Go it is a comprehension over nothing. */
export const bind = (name: string, start: Expression, result: Expression): Comprehension => ({
  kind: 'comprehension',
  type: result.type,
  range: listOfItems(listOf(dyn)),
  names: ['#unused'],
  accumulator: name,
  start,
  condition: no,
  step: named(name, start.type),
  result,
})

export const isBind = ({ condition }: Comprehension): boolean => condition === no
