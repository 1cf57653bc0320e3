import { isDeepStrictEqual } from 'node:util'
import { hasFormat } from './formats.ts'
import type { Path, Schema } from './schema.ts'
import { isObject } from './schema.ts'

/** One thing that is wrong, as data: whoever tells it chooses the words, and whether the value may be told. */
export interface Problem {
  readonly path: Path
  readonly keyword: ProblemKeyword
  /** What the schema asks for: the limit, the type, the format, the pattern, the values allowed. */
  readonly expected?: unknown
  readonly value: unknown
}

export type ProblemKeyword =
  | 'required'
  | 'type'
  | 'enum'
  | 'format'
  | 'pattern'
  | 'minLength'
  | 'maxLength'
  | 'minimum'
  | 'maximum'
  | 'exclusiveMinimum'
  | 'exclusiveMaximum'
  | 'multipleOf'
  | 'minItems'
  | 'maxItems'
  | 'unique'
  | 'minProperties'
  | 'maxProperties'
  | 'anyOf'
  | 'oneOf'
  | 'not'
  | 'unknown'

/**
 * Everything in `value` that the schema does not allow, first things first. Unknown fields are no problem here (see
 * prune.ts) unless the schema says `additionalProperties: false`; rules in CEL are left to the API server.
 */
export function problemsOf(schema: Schema, value: unknown, path: Path = []): Problem[] {
  if (value === null && schema.nullable) return []
  const wanted = schema['x-kubernetes-int-or-string'] ? 'integer or string' : schema.type
  if (wanted !== undefined && !isOfType(wanted, value)) return [{ path, keyword: 'type', expected: wanted, value }]
  return [
    ...enumProblems(schema, value, path),
    ...(typeof value === 'string' ? stringProblems(schema, value, path) : []),
    ...(typeof value === 'number' ? numberProblems(schema, value, path) : []),
    ...(Array.isArray(value) ? arrayProblems(schema, value, path) : []),
    ...(isObject(value) ? objectProblems(schema, value, path) : []),
    ...combinedProblems(schema, value, path),
  ]
}

export function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}

function isOfType(wanted: string, value: unknown): boolean {
  const type = typeOf(value)
  return wanted === type || (wanted === 'number' && type === 'integer') || wanted.split(' or ').includes(type)
}

const enumProblems = (schema: Schema, value: unknown, path: Path): Problem[] =>
  schema.enum && !schema.enum.some((allowed) => isDeepStrictEqual(allowed, value))
    ? [{ path, keyword: 'enum', expected: schema.enum, value }]
    : []

const patterns = new Map<string, RegExp>()

function matches(pattern: string, value: string): boolean {
  let compiled = patterns.get(pattern)
  if (!compiled) {
    compiled = new RegExp(pattern)
    patterns.set(pattern, compiled)
  }
  return compiled.test(value)
}

function stringProblems(schema: Schema, value: string, path: Path): Problem[] {
  const { minLength, maxLength, pattern, format } = schema
  // Characters, not UTF-16 units, as the API server counts them.
  const length = minLength === undefined && maxLength === undefined ? 0 : [...value].length
  const unless = limitsOn(path, value)
  return [
    ...unless('minLength', minLength, (limit) => length >= limit),
    ...unless('maxLength', maxLength, (limit) => length <= limit),
    ...unless('pattern', pattern, (expression) => matches(expression, value)),
    ...unless('format', format, (name) => hasFormat(name, value)),
  ]
}

function numberProblems(schema: Schema, value: number, path: Path): Problem[] {
  const { minimum, maximum, multipleOf, format } = schema
  const unless = limitsOn(path, value)
  return [
    ...(schema.exclusiveMinimum
      ? unless('exclusiveMinimum', minimum, (limit) => value > limit)
      : unless('minimum', minimum, (limit) => value >= limit)),
    ...(schema.exclusiveMaximum
      ? unless('exclusiveMaximum', maximum, (limit) => value < limit)
      : unless('maximum', maximum, (limit) => value <= limit)),
    ...unless('multipleOf', multipleOf, (divisor) => Number.isInteger(value / divisor)),
    ...unless('format', format, (name) => hasFormat(name, value)),
  ]
}

function arrayProblems(schema: Schema, value: unknown[], path: Path): Problem[] {
  const { items, minItems, maxItems } = schema
  const unless = limitsOn(path, value)
  return [
    ...unless('minItems', minItems, (limit) => value.length >= limit),
    ...unless('maxItems', maxItems, (limit) => value.length <= limit),
    ...duplicates(schema, value, path),
    ...(items ? value.flatMap((item, index) => problemsOf(items, item, [...path, index])) : []),
  ]
}

function duplicates(schema: Schema, value: unknown[], path: Path): Problem[] {
  const listType = schema['x-kubernetes-list-type']
  if (listType !== 'map' && listType !== 'set' && !schema.uniqueItems) return []
  const keys = listType === 'map' ? (schema['x-kubernetes-list-map-keys'] ?? []) : undefined
  const seen = new Set<string>()
  const problems: Problem[] = []
  value.forEach((item, index) => {
    // A key that is left out counts with its default.
    const identity = keys
      ? keys.map((key) => [key, (isObject(item) ? item[key] : undefined) ?? schema.items?.properties?.[key]?.default])
      : item
    const text = JSON.stringify(identity)
    if (seen.has(text)) {
      const told = keys ? Object.fromEntries(identity as [string, unknown][]) : item
      problems.push({ path: [...path, index], keyword: 'unique', value: told })
    }
    seen.add(text)
  })
  return problems
}

function objectProblems(schema: Schema, value: Record<string, unknown>, path: Path): Problem[] {
  const { properties = {}, required = [], additionalProperties, minProperties, maxProperties } = schema
  const size = Object.keys(value).length
  const unless = limitsOn(path, value)
  return [
    ...required
      .filter((name) => value[name] === undefined)
      .map((name): Problem => ({ path: [...path, name], keyword: 'required', value: undefined })),
    ...unless('minProperties', minProperties, (limit) => size >= limit),
    ...unless('maxProperties', maxProperties, (limit) => size <= limit),
    ...Object.entries(value).flatMap(([name, field]): Problem[] => {
      if (field === undefined) return []
      const declared = Object.hasOwn(properties, name) ? properties[name] : additionalProperties
      if (declared === false) return [{ path: [...path, name], keyword: 'unknown', value: field }]
      return declared === undefined || declared === true ? [] : problemsOf(declared, field, [...path, name])
    }),
  ]
}

function combinedProblems({ allOf = [], anyOf, oneOf, not }: Schema, value: unknown, path: Path): Problem[] {
  const fits = (schema: Schema) => problemsOf(schema, value, path).length === 0
  return [
    ...allOf.flatMap((schema) => problemsOf(schema, value, path)),
    ...(anyOf && !anyOf.some(fits) ? [{ path, keyword: 'anyOf', value } as const] : []),
    ...(oneOf && oneOf.filter(fits).length !== 1 ? [{ path, keyword: 'oneOf', value } as const] : []),
    ...(not && fits(not) ? [{ path, keyword: 'not', value } as const] : []),
  ]
}

/** A problem for a limit that is set and does not hold, else none. */
const limitsOn =
  (path: Path, value: unknown) =>
  <T>(keyword: ProblemKeyword, expected: T | undefined, holds: (expected: T) => boolean): Problem[] =>
    expected === undefined || holds(expected) ? [] : [{ path, keyword, expected, value }]
