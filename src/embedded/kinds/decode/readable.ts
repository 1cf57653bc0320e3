import { deepestNesting } from './json-syntax.ts'
import { Unreadable } from './unreadable.ts'

/** Refuses what no object of ours can hold, and counts the keys. */
export function checkValue(value: unknown, depth = 0): number {
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new Unreadable('json: cannot unmarshal number into Go value of type float64')
    return 0
  }
  if (typeof value !== 'object' || value === null) return 0
  if (depth > deepestNesting) throw new Unreadable('exceeded max depth')
  let keys = 0
  if (Array.isArray(value)) {
    for (const item of value) keys += checkValue(item, depth + 1)
    return keys
  }
  for (const key in value) {
    if (key === '__proto__') throw new Unreadable('a field is named "__proto__", which this server does not accept')
    keys += 1 + checkValue((value as Record<string, unknown>)[key], depth + 1)
  }
  return keys
}
