import type { Problem } from './check.ts'
import { typeOf } from './check.ts'
import { pathText } from './schema.ts'

/** A problem as the Kubernetes API tells it, in the causes of a 422 and in its message. */
export interface FieldError {
  reason:
    | 'FieldValueRequired'
    | 'FieldValueTypeInvalid'
    | 'FieldValueNotSupported'
    | 'FieldValueTooLong'
    | 'FieldValueTooMany'
    | 'FieldValueDuplicate'
    | 'FieldValueForbidden'
    | 'FieldValueInvalid'
  field: string
  /** Without the field. */
  message: string
}

export const fieldErrorText = ({ field, message }: FieldError): string => `${field}: ${message}`

export function fieldError(problem: Problem): FieldError {
  const field = pathText(problem.path)
  const { expected, value } = problem
  const invalid = (told: unknown, why: string): FieldError => ({
    reason: 'FieldValueInvalid',
    field,
    message: `Invalid value: ${quoted(told)}: ${field} in body ${why}`,
  })
  const combined = (why: string): FieldError => ({
    reason: 'FieldValueInvalid',
    field,
    message: `Invalid value: "": "${field}" ${why}`,
  })
  switch (problem.keyword) {
    case 'required':
      return { reason: 'FieldValueRequired', field, message: 'Required value' }
    case 'type': {
      const type = typeOf(value)
      const wanted = String(expected).replace(' or ', ',')
      const message = `Invalid value: "${type}": ${field} in body must be of type ${wanted}: "${type}"`
      return { reason: 'FieldValueTypeInvalid', field, message }
    }
    case 'enum': {
      const supported = (expected as unknown[]).map((allowed) => JSON.stringify(allowed)).join(', ')
      const message = `Unsupported value: ${quoted(value)}: supported values: ${supported}`
      return { reason: 'FieldValueNotSupported', field, message }
    }
    case 'maxLength':
      return { reason: 'FieldValueTooLong', field, message: `Too long: may not be more than ${expected} bytes` }
    case 'maxItems': {
      const message = `Too many: ${(value as unknown[]).length}: must have at most ${expected} items`
      return { reason: 'FieldValueTooMany', field, message }
    }
    case 'maxProperties': {
      const message = `Too many: ${Object.keys(value as object).length}: must have at most ${expected} items`
      return { reason: 'FieldValueTooMany', field, message }
    }
    case 'unique':
      return { reason: 'FieldValueDuplicate', field, message: `Duplicate value: ${quoted(value)}` }
    case 'unknown':
      return { reason: 'FieldValueForbidden', field, message: `Forbidden: unknown field ${JSON.stringify(field)}` }
    case 'format':
      return invalid(value, `must be of type ${expected}: ${quoted(value)}`)
    case 'pattern':
      return invalid(value, `should match '${expected}'`)
    case 'minLength':
      return invalid(value, `should be at least ${expected} chars long`)
    case 'minimum':
      return invalid(value, `should be greater than or equal to ${expected}`)
    case 'exclusiveMinimum':
      return invalid(value, `should be greater than ${expected}`)
    case 'maximum':
      return invalid(value, `should be less than or equal to ${expected}`)
    case 'exclusiveMaximum':
      return invalid(value, `should be less than ${expected}`)
    case 'multipleOf':
      return invalid(value, `should be a multiple of ${expected}`)
    case 'minItems':
      return invalid((value as unknown[]).length, `should have at least ${expected} items`)
    case 'minProperties':
      return invalid(Object.keys(value as object).length, `should have at least ${expected} properties`)
    case 'anyOf':
      return combined('must validate at least one schema (anyOf)')
    case 'oneOf':
      return combined('must validate one and only one schema (oneOf)')
    case 'not':
      return combined('must not validate the schema (not)')
  }
}

const quoted = (value: unknown): string => JSON.stringify(value)
