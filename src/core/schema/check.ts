import { isDeepStrictEqual } from 'node:util'
import { hasFormat, isKnownFormat, isWithinFormat } from './formats.ts'
import type { Matcher, Work } from './linear-pattern.ts'
import { linearPattern } from './linear-pattern.ts'
import { visitLists } from './list-types.ts'
import type { Path, Schema } from './schema.ts'
import { isObject } from './schema.ts'

/** One thing that is wrong, as data: whoever tells it chooses the words, and whether the value may be told. */
export interface Problem {
  readonly path: Path
  readonly keyword: ProblemKeyword
  /** What the schema asks for: the limit, the type, the format, the pattern, the values allowed. */
  readonly expected?: unknown
  readonly value: unknown
  /** Beside a type: the format that a value of it should have. */
  readonly format?: string
}

export type ProblemKeyword =
  | 'required'
  | 'type'
  | 'enum'
  | 'format'
  | 'range'
  | 'pattern'
  | 'steps'
  | 'minLength'
  | 'maxLength'
  | 'minimum'
  | 'maximum'
  | 'exclusiveMinimum'
  | 'exclusiveMaximum'
  | 'multipleOf'
  | 'noFactor'
  | 'minItems'
  | 'maxItems'
  | 'unique'
  | 'listItem'
  | 'minProperties'
  | 'maxProperties'
  | 'forbidden'
  | 'allOf'
  | 'anyOf'
  | 'oneOf'
  | 'not'
  | 'unknown'

/**
 * Everything in `value` that the schema does not allow, in the order in which the API server tells it. Unknown fields
 * are no problem here (see prune.ts) unless the schema says `additionalProperties: false`; null in a field that does
 * not allow it is (see nulls.ts); rules in CEL are left to the API server.
 */
export const problemsOf = (schema: Schema, value: unknown, path: Path = []): Problem[] => [
  ...valueProblems(schema, value, undefined, path),
  ...listProblems(schema, value, path),
]

/** A value beside what it was before: of one that was not changed, nothing is told. */
export interface Before {
  readonly isUnchanged: boolean
  /** Of the field of this name, or of the item at this place; undefined where nothing is known of it. */
  key(name: string): Before | undefined
  index(index: number): Before | undefined
}

/** The same but for what `x-kubernetes-list-type` asks of lists. */
export function valueProblems(schema: Schema, value: unknown, before?: Before, path: Path = []): Problem[] {
  const problems: Problem[] = []
  try {
    visit(schema, value, [...path], { problems, steps: { left: mostSteps } }, before)
  } catch (error) {
    if (!(error instanceof TooLong)) throw error
    problems.push(error.problem)
  }
  return problems
}

interface Found {
  readonly problems: Problem[]
  /** For patterns. */
  readonly steps: { left: number }
}

export function listProblems(schema: Schema, value: unknown, path: Path = []): Problem[] {
  const found: Problem[] = []
  visitLists(schema, value, [...path], found)
  return found
}

export function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return isInt64(value) ? 'integer' : typeof value
}

const int64 = 2 ** 63
const isInt64 = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= -int64 && (value as number) <= int64

/**
 * Adds what is wrong with one value to `found`. `at` is where it is, and the same again when this returns. The count
 * of schemas that were asked comes back: of several alternatives, the one that got furthest is told about.
 */
function visit(schema: Schema, value: unknown, at: (string | number)[], found: Found, before?: Before): number {
  const foundBefore = found.problems.length
  const asked = visitParts(schema, value, at, found, before)
  if (found.problems.length > foundBefore && before?.isUnchanged) found.problems.length = foundBefore
  return asked
}

function visitParts(
  schema: Schema,
  value: unknown,
  at: (string | number)[],
  found: Found,
  before: Before | undefined,
): number {
  visitType(schema, value, at, found)
  if (value === null) {
    visitEnum(schema, value, at, found)
    return 1
  }
  // What is in an alternative is told even if it was not changed, as the API server has it.
  let asked = 1 + visitCombined(schema, value, at, found)
  if (typeof value === 'string') visitString(schema, value, at, found)
  else if (typeof value === 'number') visitNumber(schema, value, at, found)
  else if (Array.isArray(value)) asked += visitArray(schema, value, at, found, before)
  visitEnum(schema, value, at, found)
  if (isObject(value)) asked += visitObject(schema, value, at, found, before)
  return asked
}

function visitType(schema: Schema, value: unknown, at: Path, found: Found): void {
  if (value === null && schema.nullable) return
  if (schema['x-kubernetes-int-or-string']) {
    const type = typeOf(value)
    if (type !== 'integer' && type !== 'string') tell(found, at, 'type', 'integer or string', value)
    return
  }
  const { type: wanted } = schema
  if (wanted === undefined) return
  const type = typeOf(value)
  if (wanted === type || (wanted === 'number' && type === 'integer')) return
  const isFormatted = schema.format !== undefined && isKnownFormat(wanted, schema.format)
  found.problems.push({
    path: [...at],
    keyword: 'type',
    expected: wanted,
    value,
    ...(isFormatted && { format: schema.format }),
  })
}

function visitEnum(schema: Schema, value: unknown, at: Path, found: Found): void {
  const { enum: allowed } = schema
  if (!allowed || allowed.length === 0) return
  if (!allowed.some((one) => one === value || isDeepStrictEqual(one, value))) tell(found, at, 'enum', allowed, value)
}

const patterns = new Map<string, Matcher>()
let statesKept = 0
/** Some fifty megabytes. */
const mostStatesKept = 500_000

/** Compiled once, as far as there is room; `work` is told what compiling takes. Throws as `linearPattern` does. */
export function patternOf(pattern: string, work?: Work): Matcher {
  const known = patterns.get(pattern)
  if (known) return known
  const compiled = linearPattern(pattern)
  work?.(compiled.states)
  patterns.set(pattern, compiled)
  statesKept += compiled.states
  for (const [oldest, { states }] of patterns) {
    if (statesKept <= mostStatesKept) break
    patterns.delete(oldest)
    statesKept -= states
  }
  return compiled
}

function visitString(schema: Schema, value: string, at: Path, found: Found): void {
  const { minLength, maxLength, pattern, format } = schema
  if (minLength !== undefined || maxLength !== undefined) {
    // Characters, not UTF-16 units, as the API server counts them.
    const length = [...value].length
    if (maxLength !== undefined && length > maxLength) tell(found, at, 'maxLength', maxLength, value)
    if (minLength !== undefined && length < minLength) tell(found, at, 'minLength', minLength, value)
  }
  if (pattern !== undefined && !isMatching(pattern, value, at, found)) tell(found, at, 'pattern', pattern, value)
  if (format !== undefined && !hasFormat(format, value)) tell(found, at, 'format', format, value)
}

/** More steps than all patterns on one value may take together: what is left of it is not looked at. */
class TooLong extends Error {
  readonly problem: Problem

  constructor(problem: Problem) {
    super()
    this.problem = problem
  }
}

/** Some tenths of a second, in which nothing else is done. */
const mostSteps = 10_000_000

function isMatching(pattern: string, value: string, at: Path, found: Found): boolean {
  const work = (steps: number): void => {
    found.steps.left -= steps
    if (found.steps.left < 0) throw new TooLong({ path: [...at], keyword: 'steps', expected: pattern, value })
  }
  return patternOf(pattern, work).test(value, work)
}

function visitNumber(schema: Schema, value: number, at: Path, found: Found): void {
  const { type } = schema
  const [minimum, maximum, multipleOf] = [schema.minimum, schema.maximum, schema.multipleOf].map((limit) =>
    limitFor(value, limit),
  )
  const isChecked = type === 'integer' || type === 'number'
  if (isChecked && ((type === 'integer' && !isInt64(value)) || !isWithinFormat(type, schema.format, value)))
    tell(found, at, 'range', { type, format: schema.format }, value)
  if (multipleOf !== undefined && multipleOf <= 0) tell(found, at, 'noFactor', multipleOf, value)
  else if (multipleOf !== undefined && !isMultiple(value, multipleOf)) tell(found, at, 'multipleOf', multipleOf, value)
  if (maximum !== undefined && (schema.exclusiveMaximum ? value >= maximum : value > maximum))
    tell(found, at, schema.exclusiveMaximum ? 'exclusiveMaximum' : 'maximum', maximum, value)
  if (minimum !== undefined && (schema.exclusiveMinimum ? value <= minimum : value < minimum))
    tell(found, at, schema.exclusiveMinimum ? 'exclusiveMinimum' : 'minimum', minimum, value)
}

/** The API server compares whole numbers with whole numbers: of a limit it takes the whole part. */
const limitFor = (value: number, limit: number | undefined): number | undefined =>
  limit !== undefined && Number.isInteger(value) ? Math.trunc(limit) : limit

/** Up to what decimal fractions lose in binary. */
function isMultiple(value: number, divisor: number): boolean {
  const times = value / divisor
  return Math.abs(times - Math.round(times)) <= 1e-9 * Math.max(1, Math.abs(times))
}

/**
 * Once so many are found, the rest of a list or of an object is not looked at: each may repeat what the schema allows,
 * and a megabyte of wrong items took all memory there was. Not counted are those of values that may stay as they are.
 */
const mostTold = 100

function visitArray(
  schema: Schema,
  value: unknown[],
  at: (string | number)[],
  found: Found,
  before: Before | undefined,
): number {
  const { items, minItems, maxItems } = schema
  let asked = 0
  if (items)
    for (let index = 0; index < value.length && found.problems.length < mostTold; index++) {
      at.push(index)
      asked += visit(items, value[index], at, found, before?.index(index))
      at.pop()
    }
  if (minItems !== undefined && value.length < minItems) tell(found, at, 'minItems', minItems, value)
  if (maxItems !== undefined && value.length > maxItems) tell(found, at, 'maxItems', maxItems, value)
  return asked
}

function visitObject(
  schema: Schema,
  value: Record<string, unknown>,
  at: (string | number)[],
  found: Found,
  before: Before | undefined,
): number {
  const { properties, required, additionalProperties, minProperties, maxProperties } = schema
  const names = Object.keys(value)
  if (minProperties !== undefined && names.length < minProperties)
    tell(found, at, 'minProperties', minProperties, value)
  if (maxProperties !== undefined && names.length > maxProperties)
    tell(found, at, 'maxProperties', maxProperties, value)
  let asked = 0
  for (const name of names) {
    if (found.problems.length >= mostTold) break
    const field = value[name]
    if (field === undefined) continue
    const declared = properties && Object.hasOwn(properties, name) ? properties[name] : additionalProperties
    if (declared === false) tell(found, at, 'forbidden', undefined, name)
    else if (isObject(declared)) {
      at.push(name)
      asked += visit(declared, field, at, found, before?.key(name))
      at.pop()
    }
  }
  if (required)
    for (const name of required)
      if (!Object.hasOwn(value, name) || value[name] === undefined)
        tell(found, [...at, name], 'required', undefined, undefined)
  return asked
}

function visitCombined(schema: Schema, value: unknown, at: (string | number)[], found: Found): number {
  const { allOf, anyOf, oneOf, not } = schema
  let asked = 0
  const alone = (part: Schema): { problems: Problem[]; asked: number } => {
    const problems: Problem[] = []
    return { problems, asked: visit(part, value, at, { problems, steps: found.steps }) }
  }
  if (anyOf) {
    const tried = anyOf.map(alone)
    const passed = tried.find(({ problems }) => problems.length === 0)
    asked += (passed ?? furthest(tried))?.asked ?? 0
    if (!passed) {
      tell(found, at, 'anyOf', undefined, value)
      found.problems.push(...(furthest(tried)?.problems ?? []))
    }
  }
  if (oneOf) {
    const tried = oneOf.map(alone)
    const valid = tried.filter(({ problems }) => problems.length === 0).length
    asked += furthest(tried)?.asked ?? 0
    if (valid !== 1) tell(found, at, 'oneOf', valid, value)
    if (valid === 0) found.problems.push(...(furthest(tried)?.problems ?? []))
  }
  if (allOf) {
    const tried = allOf.map(alone)
    const failed = tried.filter(({ problems }) => problems.length > 0)
    for (const { problems } of failed) found.problems.push(...problems)
    if (failed.length > 0) tell(found, at, 'allOf', tried.length - failed.length, value)
    asked += tried.reduce((sum, part) => sum + part.asked, 0)
  }
  if (not && alone(not).problems.length === 0) tell(found, at, 'not', undefined, value)
  return asked
}

const furthest = <T extends { asked: number }>(tried: readonly T[]): T | undefined =>
  tried.reduce<T | undefined>((best, one) => (best && best.asked >= one.asked ? best : one), undefined)

function tell(found: Found, at: Path, keyword: ProblemKeyword, expected: unknown, value: unknown): void {
  found.problems.push({ path: [...at], keyword, expected, value })
}
