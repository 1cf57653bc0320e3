import type { TSchema } from 'typebox'
import type { Problem } from '../../core/schema/check.ts'
import { problemsOf } from '../../core/schema/check.ts'
import type { Schema } from '../../core/schema/schema.ts'
import { isObject, pathText } from '../../core/schema/schema.ts'
import { structural } from '../../core/schema/structural.ts'
import type { FieldError } from '../../fleet/rest.ts'

export interface Checked {
  value: unknown
  errors: FieldError[]
}

export type Checker = (sent: unknown) => Checked

/** Of a JSON body: nothing is made into something else, and fields that are not declared are mistakes. */
export function bodyChecker(declared: TSchema): Checker {
  const schema = closed(structural(declared))
  return (sent) => ({ value: sent, errors: mistakes(schema, sent) })
}

/** Of parameters, which come as text: numbers and booleans are read, defaults filled in. */
export function textChecker(declared: TSchema): Checker {
  const schema = closed(structural(declared))
  return (sent) => {
    const value = readTexts(schema, sent)
    return { value, errors: mistakes(schema, value) }
  }
}

/** What is not declared is a mistake: a misspelt field must not pass for one that was left out. */
export function closed(schema: Schema): Schema {
  const { properties, items, additionalProperties } = schema
  return {
    ...schema,
    ...(items && { items: closed(items) }),
    ...(isObject(additionalProperties) && { additionalProperties: closed(additionalProperties) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, closed(field)])),
      additionalProperties: false,
    }),
  }
}

function readTexts({ properties = {} }: Schema, sent: unknown): Record<string, unknown> {
  const given = isObject(sent) ? sent : {}
  const read: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(given)) read[name] = fromQuery(properties[name]?.type, value)
  for (const [name, { default: initial }] of Object.entries(properties))
    if (read[name] === undefined && initial !== undefined) read[name] = initial
  return read
}

/** A list is given by commas, or by saying it again. */
function fromQuery(type: Schema['type'], value: unknown): unknown {
  if (type === 'array') return [value].flat().flatMap((text) => (typeof text === 'string' ? text.split(',') : [text]))
  return typeof value === 'string' ? fromText(type, value) : value
}

function fromText(type: Schema['type'], text: string): unknown {
  if (type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

const mistakes = (schema: Schema, value: unknown): FieldError[] =>
  distinct(problemsOf(schema, value === undefined ? {} : value).map(told))

/** The first that is said about a field is enough. */
export function distinct(errors: readonly FieldError[]): FieldError[] {
  const fields = new Set<string>()
  return errors.filter(({ field }) => !fields.has(field) && fields.add(field))
}

const words: Partial<Record<Problem['keyword'], { constraint: string; message(expected: unknown): string }>> = {
  required: { constraint: 'required', message: () => 'is missing' },
  type: { constraint: 'type', message: (type) => `must be of type ${type}` },
  enum: { constraint: 'enum', message: (values) => `must be one of ${[values].flat().join(', ')}` },
  format: { constraint: 'format', message: (format) => `must be a ${format}` },
  pattern: { constraint: 'pattern', message: (pattern) => `must match ${pattern}` },
  minLength: { constraint: 'min_length', message: (least) => `must have at least ${least} characters` },
  maxLength: { constraint: 'max_length', message: (most) => `must have at most ${most} characters` },
  minimum: { constraint: 'min', message: (least) => `must be at least ${least}` },
  maximum: { constraint: 'max', message: (most) => `must be at most ${most}` },
  minItems: { constraint: 'min', message: (least) => `must have at least ${least} items` },
  maxItems: { constraint: 'max', message: (most) => `must have at most ${most} items` },
  unique: { constraint: 'unique', message: () => 'must not have the same twice' },
}

function told({ path, keyword, expected, value }: Problem): FieldError {
  if (keyword === 'forbidden') {
    const field = pathText([...path, ...(typeof value === 'string' ? [value] : [])]) || 'body'
    return { field, constraint: 'unknown', message: 'is not a field of this' }
  }
  const { constraint, message } = words[keyword] ?? { constraint: keyword, message: () => 'is not right' }
  return {
    field: pathText(path) || 'body',
    ...(keyword !== 'required' && isTellable(value) && { value }),
    constraint,
    message: message(expected),
  }
}

const isTellable = (value: unknown): boolean =>
  typeof value === 'number' || typeof value === 'boolean' || (typeof value === 'string' && value.length <= 100)
