import { isDeepStrictEqual } from 'node:util'
import type { ApiObject } from '../objects.ts'
import type { FieldError } from './field-errors.ts'
import { forbiddenField, invalidFor, invalidValue, keyed, tooLong } from './field-errors.ts'
import { configKeyFlaws } from './names.ts'

const maxBytes = 1024 * 1024

interface Values {
  field: string
  values: Readonly<Record<string, string>> | undefined
}

export interface ConfigData {
  plain?: Values
  /** Base64. */
  binary?: Values
}

/** Keys and size of what a ConfigMap or Secret holds. `whole` is the field that is too long when it is too much. */
export function configDataErrors({ plain, binary }: ConfigData, whole: string): FieldError[] {
  const errors: FieldError[] = []
  let size = 0
  for (const [key, value] of Object.entries(plain?.values ?? {})) {
    const field = keyed(plain?.field ?? '', key)
    errors.push(...invalidFor(field, key, configKeyFlaws(key)))
    if (binary?.values?.[key] !== undefined)
      errors.push(invalidValue(field, key, 'duplicate of key present in binaryData'))
    size += Buffer.byteLength(value)
  }
  for (const [key, value] of Object.entries(binary?.values ?? {})) {
    errors.push(...invalidFor(keyed(binary?.field ?? '', key), key, configKeyFlaws(key)))
    size += Buffer.byteLength(value, 'base64')
  }
  if (size > maxBytes) errors.push(tooLong(whole, maxBytes))
  return errors
}

/** Once `immutable` is set, it stays, and so do these fields. */
export function immutableDataErrors(object: ApiObject, old: ApiObject, fields: readonly string[]): FieldError[] {
  if (old['immutable'] !== true) return []
  const changed = fields.filter((field) => !isDeepStrictEqual(object[field], old[field]))
  return [...(object['immutable'] === true ? [] : ['immutable']), ...changed].map((field) =>
    forbiddenField(field, 'field is immutable when `immutable` is set'),
  )
}
