import type { FieldError } from '../../core/schema/field-errors.ts'
import { goQuote, isPrintable } from '../go-quote.ts'

const mostBytes = 128

/** Who a change is recorded for: who the client says, else the program that its User-Agent names. */
export const managerName = (fieldManager: string | undefined, userAgent: string | undefined): string =>
  fieldManager || programOf(userAgent ?? '') || 'unknown'

function programOf(userAgent: string): string {
  const [program = ''] = userAgent.split('/', 1)
  let name = ''
  for (const character of program) {
    if (!isPrintable(character)) continue
    if (Buffer.byteLength(name + character) > mostBytes) break
    name += character
  }
  return name
}

/** What is wrong with the `fieldManager` parameter. */
export function checkFieldManager(fieldManager: string): FieldError[] {
  const errors: FieldError[] = []
  if (Buffer.byteLength(fieldManager) > mostBytes)
    errors.push({
      reason: 'FieldValueTooLong',
      field: 'fieldManager',
      message: `Too long: may not be more than ${mostBytes} bytes`,
    })
  let position = 0
  for (const character of fieldManager) {
    if (!isPrintable(character)) errors.push(unprintable(fieldManager, character, position))
    position += Buffer.byteLength(character)
  }
  return errors
}

function unprintable(fieldManager: string, character: string, position: number): FieldError {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  return {
    reason: 'FieldValueInvalid',
    field: 'fieldManager',
    message: `Invalid value: ${goQuote(fieldManager)}: invalid character U+${code} (at position ${position})`,
  }
}

export interface PatchParameters {
  isApply: boolean
  fieldManager: string
  /** Undefined: the client did not say. */
  force: boolean | undefined
}

/** What is wrong with the parameters of a patch: to be told as an invalid `PatchOptions.meta.k8s.io`. */
export function checkPatchParameters({ isApply, fieldManager, force }: PatchParameters): FieldError[] {
  const errors: FieldError[] = []
  if (isApply && fieldManager === '')
    errors.push({
      reason: 'FieldValueRequired',
      field: 'fieldManager',
      message: 'Required value: is required for apply patch',
    })
  if (!isApply && force !== undefined)
    errors.push({
      reason: 'FieldValueForbidden',
      field: 'force',
      message: 'Forbidden: may not be specified for non-apply patch',
    })
  return [...errors, ...checkFieldManager(fieldManager)]
}
