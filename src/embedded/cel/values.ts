import { Optional } from '@marcbachmann/cel-js'
import { Duration } from '@marcbachmann/cel-js/evaluator'
import { CelAuthorizer } from './authorizer.ts'
import { durationText, timestampText } from './library/instants.ts'

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
  if (value instanceof Date) return timestampText(value)
  if (value instanceof Duration) return durationText(value)
  if (value instanceof Optional) return value.hasValue() ? fromCel(value.value()) : undefined
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, held]) => [String(key), fromCel(held)]))
  const plain = value.valueOf()
  return typeof plain === 'bigint' ? Number(plain) : String(value)
}

export { celEquals } from './library/equality.ts'
export { asMapList, asSetList } from './library/list-kinds.ts'
