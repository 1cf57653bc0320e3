import { UnsignedInt } from '@marcbachmann/cel-js/evaluator'
import { celEquals, compareValues, holds, lookUp } from './equality.ts'
import { durationOf, nanosOfDuration, nanosOfTimestamp, timestampAt } from './instants.ts'
import { joinLists } from './list-kinds.ts'
import type { Overload } from './overloads.ts'
import { overload } from './overloads.ts'

const [leastInt, mostInt] = [-(2n ** 63n), 2n ** 63n - 1n]
const mostUint = 2n ** 64n - 1n

export function int(value: bigint): bigint {
  if (value < leastInt || value > mostInt) throw new Error('integer overflow')
  return value
}

export function uint(value: bigint): UnsignedInt {
  if (value < 0n || value > mostUint) throw new Error('unsigned integer overflow')
  return new UnsignedInt(value)
}

const timestamp = 'google.protobuf.Timestamp'
const duration = 'google.protobuf.Duration'

/** What there is for ints, uints and doubles alike; doubles have no remainder. */
function arithmetic(
  operator: string,
  ofInts: (a: bigint, b: bigint) => bigint,
  ofDoubles?: (a: number, b: number) => number,
): Overload[] {
  return [
    overload(`_${operator}_(int, int): int`, (a: bigint, b: bigint) => int(ofInts(a, b))),
    overload(`_${operator}_(uint, uint): uint`, (a: UnsignedInt, b: UnsignedInt) => uint(ofInts(a.value, b.value))),
    ...(ofDoubles ? [overload(`_${operator}_(double, double): double`, ofDoubles)] : []),
  ]
}

const notZero = (divisor: bigint, words: string): bigint => {
  if (divisor === 0n) throw new Error(words)
  return divisor
}

const sums: readonly Overload[] = [
  ...arithmetic(
    '+',
    (a, b) => a + b,
    (a, b) => a + b,
  ),
  overload('_+_(string, string): string', (a: string, b: string) => a + b),
  overload('_+_(bytes, bytes): bytes', (a: Uint8Array, b: Uint8Array) => Buffer.concat([a, b])),
  overload('_+_(list<T>, list<T>): list<T>', joinLists),
  overload(`_+_(${duration}, ${duration}): ${duration}`, (a, b) => durationOf(nanosOfDuration(a) + nanosOfDuration(b))),
  overload(`_+_(${duration}, ${timestamp}): ${timestamp}`, (a, b) =>
    timestampAt(nanosOfDuration(a) + nanosOfTimestamp(b)),
  ),
  overload(`_+_(${timestamp}, ${duration}): ${timestamp}`, (a, b) =>
    timestampAt(nanosOfTimestamp(a) + nanosOfDuration(b)),
  ),
]

const differences: readonly Overload[] = [
  ...arithmetic(
    '-',
    (a, b) => a - b,
    (a, b) => a - b,
  ),
  overload(`_-_(${duration}, ${duration}): ${duration}`, (a, b) => durationOf(nanosOfDuration(a) - nanosOfDuration(b))),
  overload(`_-_(${timestamp}, ${duration}): ${timestamp}`, (a, b) =>
    timestampAt(nanosOfTimestamp(a) - nanosOfDuration(b)),
  ),
  overload(`_-_(${timestamp}, ${timestamp}): ${duration}`, (a, b) =>
    durationOf(nanosOfTimestamp(a) - nanosOfTimestamp(b)),
  ),
]

const numbers = ['int', 'uint', 'double']
const ordered: readonly (readonly [string, string])[] = [
  ...['bool', 'string', 'bytes', timestamp, duration].map((type) => [type, type] as const),
  ...numbers.flatMap((left) => numbers.map((right) => [left, right] as const)),
]

const order = (operator: string, isSo: (difference: number) => boolean): Overload[] =>
  ordered.map(([left, right]) =>
    overload(`_${operator}_(${left}, ${right}): bool`, (a, b) => isSo(compareValues(a, b))),
  )

/** Arithmetic, order, equality and membership, under the names that CEL has for them. */
export const operators: readonly Overload[] = [
  ...sums,
  ...differences,
  ...arithmetic(
    '*',
    (a, b) => a * b,
    (a, b) => a * b,
  ),
  ...arithmetic(
    '/',
    (a, b) => a / notZero(b, 'division by zero'),
    (a, b) => a / b,
  ),
  ...arithmetic('%', (a, b) => a % notZero(b, 'modulus by zero')),
  overload('-_(int): int', (a: bigint) => int(-a)),
  overload('-_(double): double', (a: number) => -a),
  overload('!_(bool): bool', (a: boolean) => !a),
  overload('_==_(T, T): bool', celEquals),
  overload('_!=_(T, T): bool', (a, b) => !celEquals(a, b)),
  ...order('<', (difference) => difference < 0),
  ...order('<=', (difference) => difference <= 0),
  ...order('>', (difference) => difference > 0),
  ...order('>=', (difference) => difference >= 0),
  overload('@in(T, list<T>): bool', (value, list: readonly unknown[]) => holds(list, value)),
  overload('@in(K, map<K, V>): bool', (key, map: ReadonlyMap<unknown, unknown>) => lookUp(map, key) !== undefined),
]
