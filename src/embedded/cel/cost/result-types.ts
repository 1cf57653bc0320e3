import type { Expression } from './expression.ts'
import type { CelType } from './types.ts'
import { dyn, int, listOf, optionalOf, parameter, text } from './types.ts'

type Derive = (target: CelType, first: CelType, second: CelType) => CelType

const kubernetes =
  (kind: string): Derive =>
  () => ({ kind })

const sameAsTarget: Derive = (target) => target
const itemOfTarget: Derive = (target) => parameter(target)
const sameAsFirst: Derive = (_, first) => first

/** Where the type of a result hangs on those of the arguments, which the library in use does not follow. */
const derivations: Readonly<Record<string, Derive>> = {
  sort: sameAsTarget,
  distinct: sameAsTarget,
  slice: sameAsTarget,
  reverse: sameAsTarget,
  min: itemOfTarget,
  max: itemOfTarget,
  sum: itemOfTarget,
  first: (target) => optionalOf(parameter(target)),
  last: (target) => optionalOf(parameter(target)),
  flatten: (target) => (parameter(target).kind === 'list' ? parameter(target) : target),
  split: () => listOf(text),
  findAll: () => listOf(text),
  'lists.range': () => listOf(int),
  value: itemOfTarget,
  orValue: (target, first) => (parameter(target) === dyn ? first : parameter(target)),
  or: sameAsTarget,
  'optional.of': (_, first) => optionalOf(first),
  'optional.ofNonZeroValue': (_, first) => optionalOf(first),
  'optional.none': () => optionalOf(dyn),
  dyn: () => dyn,
  url: kubernetes('URL'),
  quantity: kubernetes('Quantity'),
  add: sameAsTarget,
  sub: sameAsTarget,
  ip: kubernetes('IP'),
  cidr: kubernetes('CIDR'),
  masked: sameAsTarget,
  semver: kubernetes('Semver'),
  'format.named': () => optionalOf({ kind: 'Format' }),
  '_[_]': (_, held) => entryType(held),
  '_[?_]': (_, held) => optionalOf(entryType(held.kind === 'optional' ? parameter(held) : held)),
  '_+_': (_, first, second) => sum(first, second),
}

/** Nothing where what the library says is as good. */
export function resultType(
  name: string,
  target: Expression | undefined,
  args: readonly Expression[],
): CelType | undefined {
  if (name.startsWith('format.') && name !== 'format.named') return { kind: 'Format' }
  if (name === '_?_:_') return args[1]?.type.kind === 'dyn' ? args[2]?.type : args[1]?.type
  return derivations[name]?.(target?.type ?? dyn, args[0]?.type ?? dyn, args[1]?.type ?? dyn)
}

const entryType = (held: CelType): CelType => (held.kind === 'map' ? parameter(held, 1) : parameter(held))

function sum(first: CelType, second: CelType): CelType {
  if (first.kind === 'list') return parameter(first).kind === 'dyn' && second.kind === 'list' ? second : first
  if (first.kind === 'timestamp' || second.kind === 'timestamp') return { kind: 'timestamp' }
  return first.kind === 'dyn' ? second : sameAsFirst(dyn, first, second)
}
