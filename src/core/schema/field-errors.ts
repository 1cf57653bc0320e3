import type { Problem } from './check.ts'
import { typeOf } from './check.ts'
import { isObject, pathText, sortedJson } from './schema.ts'

/** A problem as the Kubernetes API tells it, in the causes of a 422 and in its message. */
export interface FieldError {
  reason:
    | 'FieldValueRequired'
    | 'FieldValueTypeInvalid'
    | 'FieldValueNotSupported'
    | 'FieldValueTooLong'
    | 'FieldValueTooMany'
    | 'FieldValueDuplicate'
    | 'FieldValueNotFound'
    | 'FieldValueForbidden'
    | 'FieldValueInvalid'
    | 'InternalError'
  field: string
  /** Without the field. */
  message: string
}

export const fieldErrorText = ({ field, message }: FieldError): string => `${field}: ${message}`

export const fieldError = (problem: Problem): FieldError => told(problem, '')

/** The same for a value that is itself found at `place`, such as a default: sentences name the path inside of it only. */
export const fieldErrorUnder = (place: string, problem: Problem): FieldError => told(problem, place)

function told({ path, keyword, value, expected, format }: Problem, place: string): FieldError {
  const name = pathText(path)
  const field = (place && name ? `${place}${name.startsWith('[') ? '' : '.'}${name}` : place || name) || nowhere
  const because = (reason: FieldError['reason'], message: string): FieldError => ({ reason, field, message })
  const invalid = (told: unknown, why: string) =>
    because('FieldValueInvalid', `Invalid value: ${sortedJson(told)}: ${name} in body ${why}`)
  /** What the server's validator tells about a value as a whole, it tells without its place. */
  const whole = (why: string): FieldError => ({
    reason: 'FieldValueInvalid',
    field: place || nowhere,
    message: `Invalid value: "": ${why}`,
  })
  switch (keyword) {
    case 'required':
      return because('FieldValueRequired', 'Required value')
    case 'type': {
      const told = format === undefined ? undefined : formatOf(value)
      const type = told ?? typeOf(value)
      const wanted = told === undefined ? String(expected).replace(' or ', ',') : format
      return because(
        'FieldValueTypeInvalid',
        `Invalid value: "${type}": ${name} in body must be of type ${wanted}: "${type}"`,
      )
    }
    case 'enum':
      return because(
        'FieldValueNotSupported',
        `Unsupported value: ${sortedJson(value)}: supported values: ${(expected as unknown[]).map(asText).join(', ')}`,
      )
    case 'maxLength':
      return because('FieldValueTooLong', `Too long: may not be more than ${expected} byte${expected === 1 ? '' : 's'}`)
    case 'maxItems':
      return because('FieldValueTooMany', tooMany((value as unknown[]).length, expected))
    case 'maxProperties':
      return because('FieldValueTooMany', tooMany(Object.keys(value as object).length, expected))
    case 'unique':
      return because('FieldValueDuplicate', `Duplicate value: ${sortedJson(value)}`)
    case 'listItem':
      return because(
        'FieldValueInvalid',
        `Invalid value: ${sortedJson(value)}: must be an object for an array of list-type map`,
      )
    case 'unknown':
      return because('FieldValueForbidden', `Forbidden: unknown field ${JSON.stringify(name)}`)
    case 'forbidden':
      return because(
        'FieldValueInvalid',
        `Invalid value: ${sortedJson(value)}: ${name}${name && '.'}${value} in body is a forbidden property`,
      )
    case 'format':
      return { ...invalid(value, `must be of type ${expected}: ${sortedJson(value)}`), reason: 'FieldValueTypeInvalid' }
    case 'range': {
      const { type, format } = expected as { type: string; format?: string }
      return whole(
        `Checked value must be of type ${type} ${format ? `with format ${format}` : '(default format)'} in ${name}`,
      )
    }
    case 'pattern':
      return invalid(value, `should match '${expected}'`)
    case 'steps':
      return because('FieldValueTooLong', `Too long: it takes too many steps to match it against '${expected}'`)
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
    case 'noFactor':
      return because(
        'FieldValueInvalid',
        `Invalid value: ${expected}: factor MultipleOf declared for ${name} must be positive: ${expected}`,
      )
    case 'minItems':
      return invalid((value as unknown[]).length, `should have at least ${expected} items`)
    case 'minProperties':
      return invalid(Object.keys(value as object).length, `should have at least ${expected} properties`)
    case 'anyOf':
      return whole(`"${name}" must validate at least one schema (anyOf)`)
    case 'oneOf':
      return whole(`"${name}" must validate one and only one schema (oneOf). Found ${validCount(expected)}`)
    case 'allOf':
      return whole(`"${name}" must validate all the schemas (allOf)${expected === 0 ? '. None validated' : ''}`)
    case 'not':
      return whole(`"${name}" must not validate the schema (not)`)
  }
}

/** The place of what has none, in the server's words. */
const nowhere = '<nil>'

const validCount = (count: unknown): string => (count === 0 ? 'none valid' : `${count} valid alternatives`)

const tooMany = (count: number, most: unknown): string =>
  `Too many: ${count}: must have at most ${most} item${most === 1 ? '' : 's'}`

/** Supported values are told as strings, whatever they are. */
const asText = (value: unknown): string => sortedJson(typeof value === 'string' ? value : sortedJson(value))

/** By what the server's validator calls a value where it expects one with a format. Undefined: by its type. */
function formatOf(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64'
  return typeof value === 'boolean' || isObject(value) ? '' : undefined
}
