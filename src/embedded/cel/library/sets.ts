import { holds } from './equality.ts'
import type { Overload } from './overloads.ts'
import { overload } from './overloads.ts'

type List = readonly unknown[]

const holdsAll = (list: List, values: List): boolean => values.every((value) => holds(list, value))

/** Lists looked at as sets. */
export const sets: readonly Overload[] = [
  overload('sets.contains(list<T>, list<T>): bool', holdsAll),
  overload('sets.equivalent(list<T>, list<T>): bool', (a: List, b: List) => holdsAll(a, b) && holdsAll(b, a)),
  overload('sets.intersects(list<T>, list<T>): bool', (a: List, b: List) => a.some((item) => holds(b, item))),
]
