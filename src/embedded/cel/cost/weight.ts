import { ObjectValue } from '../object-value.ts'

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Values do not change while expressions look at them. */
const weights = new WeakMap<object, number>()

/** How many steps reading all of a value takes, in lists, maps and texts inside of it too; `most` if it is more. */
export function weigh(value: unknown, most: number): number {
  if (!isContainer(value)) return 1 + lengthOf(value) / 16
  const known = weights.get(value) ?? weighed(value, most)
  weights.set(value, known)
  return Math.min(known, most)
}

function weighed(value: object, most: number): number {
  const left: unknown[] = [value]
  let weight = 0
  while (left.length > 0 && weight < most) {
    const next = left.pop()
    weight += 1 + lengthOf(next) / 16
    if (isContainer(next)) for (const part of partsOf(next)) left.push(part)
  }
  return weight
}

function partsOf(value: object): Iterable<unknown> {
  if (Array.isArray(value)) return value
  if (value instanceof ObjectValue) return Object.values(value.raw)
  if (value instanceof Map) return value.values()
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype ? Object.values(value) : []
}

/** Without what is inside: characters, bytes, items or entries. */
export function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  return isContainer(value) ? (sizeOfContainer(value) ?? 1) : 1
}

/** As `size()` counts; nothing for what has no size. */
export function sizeOfContainer(value: object): number | undefined {
  if (Array.isArray(value) || value instanceof Uint8Array) return value.length
  if (value instanceof ObjectValue) return Object.keys(value.raw).length
  return value instanceof Map || value instanceof Set ? value.size : undefined
}
