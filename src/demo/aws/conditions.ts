import type { Condition } from './policy-document.ts'
import { arnMatches, globMatches } from './wildcard.ts'

/** What is known of a call, by condition key in lower case, as AWS compares keys. */
export type Context = ReadonlyMap<string, readonly string[]>

export const context = (entries: Iterable<readonly [key: string, values: readonly string[]]>): Context =>
  new Map([...entries].map(([key, values]) => [key.toLowerCase(), values]))

type Compare = (actual: string, wanted: string) => boolean

const same: Compare = (actual, wanted) => actual === wanted
const sameInAnyCase: Compare = (actual, wanted) => actual.toLowerCase() === wanted.toLowerCase()
const like: Compare = (actual, wanted) => globMatches(wanted, actual)
const arnLike: Compare = (actual, wanted) => arnMatches(wanted, actual)

const operators: Record<string, { compare: Compare; isNegated: boolean }> = {
  StringEquals: { compare: same, isNegated: false },
  StringNotEquals: { compare: same, isNegated: true },
  StringEqualsIgnoreCase: { compare: sameInAnyCase, isNegated: false },
  StringLike: { compare: like, isNegated: false },
  StringNotLike: { compare: like, isNegated: true },
  ArnEquals: { compare: arnLike, isNegated: false },
  ArnLike: { compare: arnLike, isNegated: false },
  ArnNotLike: { compare: arnLike, isNegated: true },
  Bool: { compare: sameInAnyCase, isNegated: false },
}

const parts = /^(?:(ForAllValues|ForAnyValue):)?(\w+?)(IfExists)?$/

export const operatorIsKnown = (name: string): boolean => (parts.exec(name)?.[2] ?? '') in operators

/** All operators and all of their keys; one that is not known is never met. */
export const conditionMet = (condition: Condition, known: Context): boolean =>
  Object.entries(condition).every(([name, keys]) =>
    Object.entries(keys).every(([key, wanted]) => isMet(name, known.get(key.toLowerCase()), wanted)),
  )

function isMet(name: string, actual: readonly string[] | undefined, wanted: readonly string[]): boolean {
  const [, quantifier, plain = '', ifExists] = parts.exec(name) ?? []
  const operator = operators[plain]
  if (!operator) return false
  if (actual === undefined) return ifExists !== undefined || quantifier === 'ForAllValues' || operator.isNegated
  const fits = (value: string) => wanted.some((one) => operator.compare(value, one)) !== operator.isNegated
  return quantifier === 'ForAnyValue' || (quantifier === undefined && !operator.isNegated)
    ? actual.some(fits)
    : actual.every(fits)
}
