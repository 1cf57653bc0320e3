import { Optional } from '@marcbachmann/cel-js'
import { Duration, UnsignedInt } from '@marcbachmann/cel-js/evaluator'
import { ObjectValue } from '../object-value.ts'
import { nanosOfDuration, nanosOfTimestamp } from './instants.ts'
import { equalLists, listKindOf } from './list-kinds.ts'

/** A type of Kubernetes' own, which knows what it is equal to. */
interface Opaque {
  readonly typeName: string
  equals(other: unknown): boolean
}

const isOpaque = (value: unknown): value is Opaque => typeof value === 'object' && value !== null && 'typeName' in value

/** What is of another type cannot even be asked about. */
function likewise(value: Opaque, other: unknown): unknown {
  if (isOpaque(other) && other.typeName === value.typeName) return other
  throw new Error('no such overload')
}

/** Equality as CEL has it: numbers by their value whatever their type, lists and maps by what is in them. */
export function celEquals(a: unknown, b: unknown): boolean {
  if (isNumeric(a) && isNumeric(b)) return isSame(numberOf(a), numberOf(b))
  if (a === b) return true
  if (isOpaque(a)) return a.equals(likewise(a, b))
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a)) return Array.isArray(b) && areListsEqual(a, b)
  if (a instanceof ObjectValue) return b instanceof ObjectValue && a.equals(b)
  if (a instanceof Map) return b instanceof Map && areMapsEqual(a, b)
  if (a instanceof Date) return b instanceof Date && nanosOfTimestamp(a) === nanosOfTimestamp(b)
  if (a instanceof Duration) return b instanceof Duration && nanosOfDuration(a) === nanosOfDuration(b)
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0
  if (a instanceof Optional) return b instanceof Optional && areOptionalsEqual(a, b)
  return false
}

export type Numeric = number | bigint | UnsignedInt

export const isNumeric = (value: unknown): value is Numeric =>
  typeof value === 'number' || typeof value === 'bigint' || value instanceof UnsignedInt

export const numberOf = (value: Numeric): number | bigint => (value instanceof UnsignedInt ? value.value : value)

/** Between types JavaScript compares exactly, without rounding. */
// biome-ignore lint/suspicious/noDoubleEquals: 1n is 1
const isSame = (a: number | bigint, b: number | bigint): boolean => a == b

function areListsEqual(a: readonly unknown[], b: readonly unknown[]): boolean {
  const kind = listKindOf(a)
  if (kind) return equalLists(kind, a, b, celEquals)
  return a.length === b.length && a.every((item, index) => celEquals(item, b[index]))
}

function areMapsEqual(a: ReadonlyMap<unknown, unknown>, b: ReadonlyMap<unknown, unknown>): boolean {
  if (a.size !== b.size) return false
  for (const [key, held] of a) {
    const other = lookUp(b, key)
    if (other === undefined || !celEquals(held, other)) return false
  }
  return true
}

const areOptionalsEqual = (a: Optional, b: Optional): boolean =>
  a.hasValue() === b.hasValue() && (!a.hasValue() || celEquals(a.value(), b.value()))

/** What a map has under a key; keys that are numbers are one key whatever their type. Undefined if there is nothing. */
export function lookUp(map: ReadonlyMap<unknown, unknown>, key: unknown): unknown {
  const held = map.get(key)
  if (held !== undefined || !isNumeric(key)) return held
  for (const [other, value] of map) if (isNumeric(other) && isSame(numberOf(key), numberOf(other))) return value
  return undefined
}

export const holds = (list: readonly unknown[], value: unknown): boolean => list.some((item) => celEquals(item, value))

/** Negative, zero or positive. Throws for what has no order. */
export function compareValues(a: unknown, b: unknown): number {
  if (isNumeric(a) && isNumeric(b)) return compareNumbers(numberOf(a), numberOf(b))
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b)
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b)
  if (a instanceof Date && b instanceof Date) return Number(nanosOfTimestamp(a) - nanosOfTimestamp(b))
  if (a instanceof Duration && b instanceof Duration) return Number(nanosOfDuration(a) - nanosOfDuration(b))
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b)
  throw new Error('no such overload')
}

function compareNumbers(a: number | bigint, b: number | bigint): number {
  if (Number.isNaN(a) || Number.isNaN(b)) throw new Error('NaN values cannot be ordered')
  return a < b ? -1 : a > b ? 1 : 0
}

/** By code points, which is the order of the bytes in UTF-8. */
function compareTexts(a: string, b: string): number {
  if (a === b) return 0
  const [left, right] = [a[Symbol.iterator](), b[Symbol.iterator]()]
  for (;;) {
    const [one, other] = [left.next(), right.next()]
    if (one.done) return other.done ? 0 : -1
    if (other.done) return 1
    const difference = (one.value.codePointAt(0) as number) - (other.value.codePointAt(0) as number)
    if (difference !== 0) return difference
  }
}
