import type { FieldError } from '../../core/schema/field-errors.ts'

export type { FieldError }

/** Reasons as the API server words them. A `why` stands behind the value; `field` is a path: `spec.ports[0].name`. */
export const required = (field: string, why = ''): FieldError => ({
  reason: 'FieldValueRequired',
  field,
  message: told('Required value', why),
})

export const invalidValue = (field: string, value: unknown, why: string): FieldError => ({
  reason: 'FieldValueInvalid',
  field,
  message: told(`Invalid value: ${printed(value)}`, why),
})

/** One error for each reason. */
export const invalidFor = (field: string, value: unknown, reasons: readonly string[]): FieldError[] =>
  reasons.map((why) => invalidValue(field, value, why))

export const notSupported = (field: string, value: unknown, supported: readonly string[]): FieldError => ({
  reason: 'FieldValueNotSupported',
  field,
  message: told(
    `Unsupported value: ${printed(value)}`,
    `supported values: ${supported.map((allowed) => JSON.stringify(allowed)).join(', ')}`,
  ),
})

export const forbiddenField = (field: string, why: string): FieldError => ({
  reason: 'FieldValueForbidden',
  field,
  message: told('Forbidden', why),
})

export const duplicateValue = (field: string, value: unknown, why = ''): FieldError => ({
  reason: 'FieldValueDuplicate',
  field,
  message: told(`Duplicate value: ${printed(value)}`, why),
})

export const notFoundValue = (field: string, value: unknown): FieldError => ({
  reason: 'FieldValueNotFound',
  field,
  message: `Not found: ${printed(value)}`,
})

export const tooLong = (field: string, maxBytes: number): FieldError => ({
  reason: 'FieldValueTooLong',
  field,
  message: `Too long: may not be more than ${maxBytes} bytes`,
})

export const tooMany = (field: string, count: number, most: number): FieldError => ({
  reason: 'FieldValueTooMany',
  field,
  message: `Too many: ${count}: must have at most ${most} items`,
})

export const mustNotBeNegative = (field: string, value: number | undefined): FieldError[] =>
  value !== undefined && value < 0 ? [invalidValue(field, value, 'must be greater than or equal to 0')] : []

export const immutable = 'field is immutable'

/** The entry of a map in a path: `data[key]`. */
export const keyed = (field: string, key: string): string => `${field}[${key}]`

const told = (what: string, why: string): string => (why === '' ? what : `${what}: ${why}`)

const printed = (value: unknown): string => JSON.stringify(value) ?? 'null'
