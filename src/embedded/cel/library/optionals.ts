import { Optional } from '@marcbachmann/cel-js'
import { Duration, UnsignedInt } from '@marcbachmann/cel-js/evaluator'
import { nanosOfDuration } from './instants.ts'
import type { Overload } from './overloads.ts'
import { overload } from './overloads.ts'

/** What Go takes for no time at all. */
const yearOne = -62_135_596_800_000

function isZero(value: unknown): boolean {
  if (value === null || value === false || value === 0 || value === 0n || value === '') return true
  if (Array.isArray(value) || value instanceof Uint8Array) return value.length === 0
  if (value instanceof Map) return value.size === 0
  if (value instanceof UnsignedInt) return value.value === 0n
  if (value instanceof Date) return value.getTime() === yearOne
  return value instanceof Duration && nanosOfDuration(value) === 0n
}

function heldBy(optional: Optional): unknown {
  if (!optional.hasValue()) throw new Error('optional.none() dereference')
  return optional.value()
}

const held = (list: readonly Optional[]): unknown[] =>
  list.filter((optional) => optional.hasValue()).map((optional) => optional.value())

/** Values that may be missing. `or`, `orValue`, `optMap` and `optFlatMap` look at their arguments only when they must. */
export const optionals: readonly Overload[] = [
  overload('optional.of(T): optional<T>', (value) => Optional.of(value)),
  overload('optional.ofNonZeroValue(T): optional<T>', (value) =>
    isZero(value) ? Optional.none() : Optional.of(value),
  ),
  overload('optional.none(): optional<T>', () => Optional.none()),
  overload('optional<T>.value(): T', heldBy),
  overload('optional<T>.hasValue(): bool', (optional: Optional) => optional.hasValue()),
  overload('optional.unwrap(list<optional<T>>): list<T>', held),
  overload('list<optional<T>>.unwrapOpt(): list<T>', held),
]
