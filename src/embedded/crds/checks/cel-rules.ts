import type { Schema } from '../../../core/schema/schema.ts'
import type { FieldError } from '../../kinds/field-errors.ts'
import { forbiddenField } from '../../kinds/field-errors.ts'

/** Rules in CEL are not evaluated yet: a definition that has some is refused, as ignoring them would let bad objects in. */
export const checkCelRules = (schema: Schema, field: string): FieldError[] =>
  (schema['x-kubernetes-validations'] ?? []).length > 0
    ? [forbiddenField(`${field}.x-kubernetes-validations`, 'rules in CEL are not served yet by this control plane')]
    : []
