import { Optional } from '@marcbachmann/cel-js'
import { CelAuthorizer } from './authorizer.ts'

const [smallestInt, largestInt] = [-(2 ** 63), 2 ** 63]

/**
 * A JSON value as CEL takes it. Whole numbers are ints there, which JSON does not tell from doubles; Kubernetes reads
 * them so too. Objects become Maps: in an object the library would take a field named `constructor` for its class.
 */
export function toCel(value: unknown): unknown {
  if (typeof value === 'number') return isInt(value) ? BigInt(value) : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(toCel)
  if (value instanceof Date || value instanceof Uint8Array || value instanceof CelAuthorizer) return value
  const map = new Map<string, unknown>()
  for (const key of Object.keys(value)) {
    const field = (value as Record<string, unknown>)[key]
    if (field !== undefined) map.set(key, toCel(field))
  }
  return map
}

const isInt = (value: number): boolean => Number.isInteger(value) && value >= smallestInt && value < largestInt

/** The other way round: what an expression came to, as JSON. An empty optional is undefined. */
export function fromCel(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(fromCel)
  if (value instanceof Uint8Array) return value
  if (value instanceof Date) return value.toISOString()
  if (value instanceof Optional) return value.hasValue() ? fromCel(value.value()) : undefined
  if (value instanceof Set) return [...value].map(fromCel)
  const entries = entriesOf(value)
  if (entries) return Object.fromEntries(entries.map(([key, held]) => [key, fromCel(held)]))
  const plain = value.valueOf()
  return typeof plain === 'bigint' ? Number(plain) : String(value)
}

/** Of a map: those from outside are Maps, those that an expression writes out are objects. */
function entriesOf(value: object): [unknown, unknown][] | undefined {
  if (value instanceof Map) return [...value]
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype ? Object.entries(value) : undefined
}

/** Equality as CEL has it: numbers by their value whatever their type, lists and maps by what is in them. */
export function celEquals(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (isNumber(a) && isNumber(b)) return numberOf(a) === numberOf(b)
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => celEquals(item, b[index]))
  if (Array.isArray(b)) return false
  const [left, right] = [entriesOf(a), entriesOf(b)]
  if (!left || !right) return String(a) === String(b)
  const other = new Map(right)
  return left.length === other.size && left.every(([key, held]) => other.has(key) && celEquals(held, other.get(key)))
}

const isNumber = (value: unknown): value is number | bigint => typeof value === 'number' || typeof value === 'bigint'

const numberOf = (value: number | bigint): number | bigint =>
  typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value
