import type { FieldError } from '../kinds/field-errors.ts'
import { invalidValue } from '../kinds/field-errors.ts'
import { checkMetadata, updateErrors } from '../kinds/metadata.ts'
import type { ApiObject } from '../objects.ts'

/** What every custom object has besides its own fields: a type, and metadata. */

export function checkType(object: ApiObject, apiVersion: string, kind: string): FieldError[] {
  return [
    ...(object.kind === kind ? [] : [invalidValue('kind', object.kind, `must be ${kind}`)]),
    ...(object.apiVersion === apiVersion
      ? []
      : [invalidValue('apiVersion', object.apiVersion, `must be ${apiVersion}`)]),
  ]
}

/** Of a new object, or of a change of `old`. */
export const metadataErrors = ({ metadata }: ApiObject, old: ApiObject | undefined): FieldError[] =>
  old ? updateErrors(metadata, old.metadata) : checkMetadata(metadata, { namespaced: Boolean(metadata.namespace) })
