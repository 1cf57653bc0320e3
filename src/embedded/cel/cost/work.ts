import { joinedLength } from './actual-cost.ts'
import type { Meter } from './meter.ts'
import { lengthOf, weigh } from './weight.ts'

/** Values are not weighed further than this, which is too much already. */
const mostWeight = 20_000_000

const comparing: ReadonlySet<string> = new Set([
  '==',
  '!=',
  'in',
  'indexOf',
  'lastIndexOf',
  'distinct',
  'sets.contains',
  'sets.equivalent',
  'sets.intersects',
])

/** What a call has the process do with values of this size, whatever Kubernetes counts for it. */
export function chargeWork(name: string, values: readonly unknown[], meter: Meter): void {
  const [first, second, third] = values
  if (name === '[]' || name === '[?]') meter.work(isMissing(first, second) ? lengthOf(first) : 1)
  else if (comparing.has(name)) meter.work(comparedWeight(name, values))
  else for (const value of values) meter.work(typeof value === 'string' ? value.length / 2 : lengthOf(value))
  if (name === 'replace') meter.makeText(replacedLength(String(first), String(second), String(third)))
  if (name === 'join') meter.makeText(joinedLength(first, second))
  if (name === 'format') meter.makeText(weigh(second, mostWeight) * 16)
}

/** Of a key that is a number, all keys are looked through before it is missed. */
const isMissing = (map: unknown, key: unknown): boolean =>
  map instanceof Map && typeof key !== 'string' && !map.has(key as never)

/** Two values are read no further than the smaller one goes. */
function comparedWeight(name: string, [first, second]: readonly unknown[]): number {
  if (name !== '==' && name !== '!=') return weigh(first, mostWeight) + weigh(second, mostWeight)
  if (typeof first !== 'object' || typeof second !== 'object') return 1
  return Math.min(weigh(first, mostWeight), weigh(second, mostWeight))
}

function replacedLength(text: string, from: string, to: string): number {
  const most = text.length + (text.length + 1) * to.length
  if (most < 1024 * 1024) return most
  return text.length + (from === '' ? text.length + 1 : text.split(from).length - 1) * to.length
}
