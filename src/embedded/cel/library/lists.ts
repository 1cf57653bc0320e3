import { Optional } from '@marcbachmann/cel-js'
import type { Duration } from '@marcbachmann/cel-js/evaluator'
import { UnsignedInt } from '@marcbachmann/cel-js/evaluator'
import { celEquals, compareValues } from './equality.ts'
import { durationOf, nanosOfDuration } from './instants.ts'
import { int, uint } from './operators.ts'
import type { Overload } from './overloads.ts'
import { overload } from './overloads.ts'

type List = readonly unknown[]

const duration = 'google.protobuf.Duration'
const comparable = ['int', 'uint', 'double', 'bool', duration, 'google.protobuf.Timestamp', 'string', 'bytes']

/** What has no order is taken for equal. */
function order(one: unknown, other: unknown): number {
  try {
    return compareValues(one, other)
  } catch {
    return 0
  }
}

const isSorted = (list: List): boolean => list.every((item, index) => index === 0 || order(list[index - 1], item) <= 0)

/** The first or last by order; of an empty list there is none, and that is an error. */
const extreme = (name: string, sign: number) => (list: List) => {
  if (list.length === 0) throw new Error(`${name} called on empty list`)
  return list.reduce((best, item) => (order(item, best) * sign > 0 ? item : best))
}

const typeOf = (value: unknown): unknown => (typeof value === 'object' ? value?.constructor : typeof value)

/** In the order of their keys, which must all be of one type. */
export function sortedBy(list: List, keys: List): unknown[] {
  if (keys.some((key) => typeOf(key) !== typeOf(keys[0]))) throw new Error('list elements must have the same type')
  return list
    .map((_, index) => index)
    .sort((a, b) => compareValues(keys[a], keys[b]))
    .map((index) => list[index])
}

function slice(list: List, start: bigint, end: bigint): unknown[] {
  const asked = `cannot slice(${start}, ${end})`
  if (start < 0n || end < 0n) throw new Error(`${asked}, negative indexes not supported`)
  if (start > end) throw new Error(`${asked}, start index must be less than or equal to end index`)
  if (BigInt(list.length) < end) throw new Error(`${asked}, list is length ${list.length}`)
  return list.slice(Number(start), Number(end))
}

function flatten(list: List, depth = 1n): unknown[] {
  if (depth < 0n) throw new Error('level must be non-negative')
  return list.flat(Number(depth < 1_000_000n ? depth : 1_000_000n))
}

const distinct = (list: List): unknown[] =>
  list.filter((item, index) => list.findIndex((other) => celEquals(other, item)) === index)

/** Longer than what the cost of an expression allows in Kubernetes. */
const longestRange = 10_000_000n

function range(length: bigint): bigint[] {
  if (length > longestRange) throw new Error('operation cancelled: actual cost limit exceeded')
  return Array.from({ length: Number(length > 0n ? length : 0n) }, (_, index) => BigInt(index))
}

const optional = (value: unknown) => (value === undefined ? Optional.none() : Optional.of(value))

/** Lists: what Kubernetes adds, and CEL's extension of lists. */
export const lists: readonly Overload[] = [
  ...comparable.flatMap((type) => [
    overload(`list<${type}>.isSorted(): bool`, isSorted),
    overload(`list<${type}>.min(): ${type}`, extreme('min', -1)),
    overload(`list<${type}>.max(): ${type}`, extreme('max', 1)),
    overload(`list<${type}>.sort(): list<${type}>`, (list: List) => sortedBy(list, list)),
  ]),
  overload('list<int>.sum(): int', (list: readonly bigint[]) => list.reduce((sum, item) => int(sum + item), 0n)),
  overload('list<uint>.sum(): uint', (list: readonly UnsignedInt[]) =>
    list.reduce((sum, item) => uint(sum.value + item.value), new UnsignedInt(0n)),
  ),
  overload('list<double>.sum(): double', (list: readonly number[]) => list.reduce((sum, item) => sum + item, 0)),
  overload(`list<${duration}>.sum(): ${duration}`, (list) =>
    durationOf(list.reduce((sum: bigint, item: Duration) => sum + nanosOfDuration(item), 0n)),
  ),
  overload('list<T>.indexOf(T): int', (list: List, value) => BigInt(list.findIndex((item) => celEquals(item, value)))),
  overload('list<T>.lastIndexOf(T): int', (list: List, value) =>
    BigInt(list.findLastIndex((item) => celEquals(item, value))),
  ),
  overload('list<T>.slice(int, int): list<T>', slice),
  overload('list<list<T>>.flatten(): list<T>', flatten),
  overload('list<dyn>.flatten(int): list<dyn>', flatten),
  overload('list<T>.reverse(): list<T>', (list: List) => list.toReversed()),
  overload('list<T>.distinct(): list<T>', distinct),
  overload('list<T>.first(): optional<T>', (list: List) => optional(list[0])),
  overload('list<T>.last(): optional<T>', (list: List) => optional(list.at(-1))),
  overload('lists.range(int): list<int>', range),
]
