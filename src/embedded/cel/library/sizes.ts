import type { Overload } from './overloads.ts'
import { overload } from './overloads.ts'

const countable: readonly (readonly [type: string, size: Overload['run']])[] = [
  ['string', (text: string) => BigInt([...text].length)],
  ['bytes', (bytes: Uint8Array) => BigInt(bytes.length)],
  ['list<T>', (list: readonly unknown[]) => BigInt(list.length)],
  ['map<K, V>', (map: ReadonlyMap<unknown, unknown>) => BigInt(map.size)],
]

/** How many characters, bytes, items or keys. */
export const sizes: readonly Overload[] = countable.flatMap(([type, size]) => [
  overload(`size(${type}): int`, size),
  overload(`${type}.size(): int`, size),
])
