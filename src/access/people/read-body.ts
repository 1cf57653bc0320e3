import type { Static, TSchema } from 'typebox'
import type { Failure } from '../../core/failure.ts'
import type { Problem } from '../../core/schema/check.ts'
import { problemsOf } from '../../core/schema/check.ts'
import type { Schema } from '../../core/schema/schema.ts'
import { pathText } from '../../core/schema/schema.ts'
import { structural } from '../../core/schema/structural.ts'
import type { FieldError } from '../../fleet/rest.ts'

export type BodyReader<T> = (text: string) => T

/** Reads JSON of this shape and nothing else: no other fields, nothing after it. Nothing at all is an empty object. */
export function bodyReader<T extends TSchema>(
  declared: T,
  refuse: (told: { detail: string; errors?: readonly FieldError[] }) => Failure,
): BodyReader<Static<T>> {
  const schema: Schema = { ...structural(declared), additionalProperties: false }
  return (text) => {
    const value = text.trim() === '' ? {} : parsed(text, refuse)
    const errors = problemsOf(schema, value).map(told)
    if (errors.length > 0)
      throw refuse({ detail: errors.map(({ field, message }) => `${field} ${message}`).join('; '), errors })
    return value as Static<T>
  }
}

function parsed(text: string, refuse: (told: { detail: string }) => Failure): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Without the parser's error: it quotes the body.
    throw refuse({ detail: 'it is not valid JSON, or something comes after it' })
  }
}

function told({ path, keyword, expected, value }: Problem): FieldError {
  const place = keyword === 'forbidden' && typeof value === 'string' ? [...path, value] : path
  const field = (pathText(place) || 'the body').slice(0, 100)
  switch (keyword) {
    case 'forbidden':
      return { field, constraint: 'unknown', message: 'is not a field of this' }
    case 'required':
      return { field, constraint: 'required', message: 'is missing' }
    case 'type':
      return { field, constraint: 'type', message: `must be of type ${expected}` }
    case 'enum':
      return { field, constraint: 'enum', message: `must be one of ${[expected].flat().join(', ')}` }
    default:
      return { field, constraint: keyword, message: `does not keep to ${keyword} ${expected ?? ''}`.trim() }
  }
}
