import { Optional } from '@marcbachmann/cel-js'
import { UnsignedInt } from '@marcbachmann/cel-js/evaluator'
import { lookUp } from './equality.ts'
import type { Overload } from './overloads.ts'
import { overload } from './overloads.ts'

type List = readonly unknown[]
type Values = ReadonlyMap<unknown, unknown>

const keyText = (key: unknown): string => (key instanceof UnsignedInt ? `${key.value}` : String(key))

function itemAt(list: List, index: bigint): unknown {
  if (index < 0n || index >= BigInt(list.length)) throw new Error(`index out of bounds: ${index}`)
  return list[Number(index)]
}

function valueAt(map: Values, key: unknown): unknown {
  const value = lookUp(map, key)
  if (value === undefined) throw new Error(`no such key: ${keyText(key)}`)
  return value
}

/** Of what may be missing, and so may be what is in it. */
const maybe =
  (read: (holder: never, key: never) => unknown) =>
  (holder: Optional, key: unknown): Optional => {
    if (!holder.hasValue()) return Optional.none()
    try {
      return Optional.of(read(holder.value() as never, key as never))
    } catch {
      return Optional.none()
    }
  }

/** What stands at a place in a list, or under a key in a map. Numbers are places whatever their type. */
export const accesses: readonly Overload[] = [
  overload('_[_](list<T>, int): T', itemAt),
  overload('_[_](map<K, V>, K): V', valueAt),
  overload('_[_](optional<list<T>>, int): optional<T>', maybe(itemAt)),
  overload('_[_](optional<map<K, V>>, K): optional<V>', maybe(valueAt)),
]

/** The same for what may be missing: it is no failure then. */
export const optionalAccesses: readonly Overload[] = [
  overload('_[?_](list<T>, int): optional<T>', accessMaybe),
  overload('_[?_](map<K, V>, K): optional<V>', accessMaybe),
  overload('_[?_](optional<list<T>>, int): optional<T>', accessMaybe),
  overload('_[?_](optional<map<K, V>>, K): optional<V>', accessMaybe),
]

export function accessMaybe(holder: unknown, key: unknown): Optional {
  return maybe(accessAnything as never)(holder instanceof Optional ? holder : Optional.of(holder), key)
}

/** Only when it is not known before it runs what is asked: a place may be of any type of number. */
export function accessAnything(holder: unknown, key: unknown): unknown {
  if (holder instanceof Map) return valueAt(holder, key)
  if (holder instanceof Optional) return maybe(accessAnything as never)(holder, key)
  if (!Array.isArray(holder)) throw new Error(`no such key: ${keyText(key)}`)
  if (typeof key === 'bigint') return itemAt(holder, key)
  if (key instanceof UnsignedInt) return itemAt(holder, key.value)
  if (typeof key === 'number' && Number.isInteger(key)) return itemAt(holder, BigInt(key))
  throw new Error(`unsupported index type '${typeof key}' in list`)
}
