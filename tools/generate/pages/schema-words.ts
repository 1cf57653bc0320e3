import type { Schema } from '../../../src/core/schema/schema.ts'
import { code } from './table.ts'

/** `string`, `list of integer`, `csr, token`, … */
export function typeWords(schema: Schema): string {
  if (schema['x-kubernetes-int-or-string']) return 'integer or string'
  if (schema.enum) return schema.enum.map((value) => code(String(value))).join(', ')
  if (schema.type === 'array') return `list of ${schema.items ? typeWords(schema.items) : 'anything'}`
  if (typeof schema.additionalProperties === 'object') return `map of ${typeWords(schema.additionalProperties)}`
  const words = schema.format === undefined ? (schema.type ?? 'anything') : `${schema.type} (${schema.format})`
  return schema.nullable ? `${words} or null` : words
}

/** What else must hold, in a few words; empty when nothing. */
export function limitWords(schema: Schema): string {
  const { minLength, maxLength, minimum, maximum, minItems, maxItems, pattern } = schema
  const words = [
    range(minLength, maxLength, 'characters'),
    range(minItems, maxItems, 'entries'),
    range(minimum, maximum, ''),
    pattern === undefined ? '' : `matches ${code(pattern)}`,
    schema['x-kubernetes-list-map-keys']
      ? `unique by ${schema['x-kubernetes-list-map-keys'].map(code).join(' and ')}`
      : '',
    schema['x-kubernetes-list-type'] === 'set' ? 'without duplicates' : '',
    ...(schema['x-kubernetes-validations'] ?? []).map(({ message, rule }) => message ?? `keeps ${code(rule)}`),
  ]
  return words.filter((word) => word !== '').join('; ')
}

function range(least: number | undefined, most: number | undefined, unit: string): string {
  const words =
    least === undefined ? `at most ${most}` : most === undefined ? `at least ${least}` : `${least} to ${most}`
  return least === undefined && most === undefined ? '' : `${words} ${unit}`.trim()
}

export const defaultWords = (schema: Schema): string =>
  schema.default === undefined ? '' : code(JSON.stringify(schema.default))

/** The description, then the limits in brackets. */
export function describe(schema: Schema): string {
  const limits = limitWords(schema)
  return [schema.description ?? '', limits === '' ? '' : `(${limits})`].filter((part) => part !== '').join(' ')
}
