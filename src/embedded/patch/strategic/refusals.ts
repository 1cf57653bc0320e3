import { isObject } from '../../../core/schema/schema.ts'
import { ApiFailure, badRequest } from '../../status.ts'
import { goText } from '../go-text.ts'

/** What the real server does not count as the client's fault, although it is: a 500 without a reason. */
export const refused = (message: string) => new ApiFailure(500, '', message)

export const badFormat = (what: 'primitive list' | 'retainKeys' | 'setElementOrder list') =>
  badRequest(`invalid patch format of ${what}`)

export const noMergeKey = (item: unknown, mergeKey: string) =>
  refused(`map: ${goText(item)} does not contain declared merge key: ${mergeKey}`)

export const unknownDirective = (directive: unknown, patch: unknown) =>
  refused(`unknown patch type: ${asString(directive)} in map: ${goText(patch)}`)

export const unexpected = (wanted: 'map[string]interface {}' | '[]interface {}', found: unknown) =>
  refused(`expected a ${wanted}, but received a ${found === null ? '%!s(<nil>)' : goTypeOf(found)}`)

/** Where the real server breaks off the connection: it compares what cannot be compared. */
export const incomparable = (value: unknown) => refused(`runtime error: hash of unhashable type ${goTypeOf(value)}`)

/** The type that Go has for a value of JSON. */
export function goTypeOf(value: unknown): string {
  if (Array.isArray(value)) return '[]interface {}'
  if (isObject(value)) return 'map[string]interface {}'
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64'
  return typeof value === 'boolean' ? 'bool' : value === null ? 'nil' : 'string'
}

/** Go's `%s` of what need not be a string. */
function asString(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === null) return '%!s(<nil>)'
  if (Array.isArray(value)) return `[${value.map(asString).join(' ')}]`
  if (!isObject(value)) return `%!s(${goTypeOf(value)}=${value})`
  const members = Object.keys(value).sort()
  return `map[${members.map((name) => `${name}:${asString(value[name])}`).join(' ')}]`
}
