import type { FieldError } from '../kinds/field-errors.ts'
import { forbiddenField, invalidFor, invalidValue, required } from '../kinds/field-errors.ts'
import { qualifiedNameFlaws } from '../kinds/names.ts'
import type { ApiObject } from '../objects.ts'
import type { ReviewedSelector, ReviewSpec } from './review-spec.ts'

/** What is wrong with the question itself. */
export function checkQuestion(spec: ReviewSpec): FieldError[] {
  const { resourceAttributes, nonResourceAttributes } = spec
  const errors: FieldError[] = []
  if (resourceAttributes && nonResourceAttributes) {
    const why = 'cannot be specified in combination with resourceAttributes'
    errors.push(invalidValue('spec.nonResourceAttributes', pathValue(spec), why))
  } else if (!resourceAttributes && !nonResourceAttributes) {
    const why = 'exactly one of nonResourceAttributes or resourceAttributes must be specified'
    errors.push(invalidValue('spec.resourceAttributes', null, why))
  }
  if (resourceAttributes) {
    const { fieldSelector, labelSelector } = resourceAttributes
    if (fieldSelector) errors.push(...checkSelector(fieldSelector, 'spec.resourceAttributes.fieldSelector', () => []))
    if (labelSelector)
      errors.push(...checkSelector(labelSelector, 'spec.resourceAttributes.labelSelector', qualifiedNameFlaws))
  }
  return errors
}

export const checkSubject = ({ user = '', groups = [] }: ReviewSpec): FieldError[] =>
  user === '' && groups.length === 0
    ? [invalidValue('spec.user', '', 'at least one of user or group must be specified')]
    : []

/** A local review is about its namespace, and about nothing that is in none. */
export function checkLocality(spec: ReviewSpec, namespace: string): FieldError[] {
  const { resourceAttributes, nonResourceAttributes } = spec
  if (resourceAttributes && (resourceAttributes.namespace ?? '') !== namespace) {
    const field = 'spec.resourceAttributes.namespace'
    return [invalidValue(field, resourceAttributes.namespace ?? '', 'must match metadata.namespace')]
  }
  return nonResourceAttributes
    ? [invalidValue('spec.nonResourceAttributes', pathValue(spec), 'disallowed on this kind of request')]
    : []
}

/** A review is not kept, so there is nothing that its metadata could say but, of a local one, where it is. */
export function checkNoMetadata({ metadata }: ApiObject, isLocal = false): FieldError[] {
  const { managedFields, namespace, ...rest } = metadata
  const isEmpty = Object.values(rest).every((value) => value === undefined || value === null)
  return isEmpty ? [] : [invalidValue('metadata', metadata, `must be empty${isLocal ? ' except for namespace' : ''}`)]
}

/** As Go prints its own type. */
const pathValue = ({ nonResourceAttributes: { path = '', verb = '' } = {} }: ReviewSpec) => ({ Path: path, Verb: verb })

function checkSelector(
  { rawSelector = '', requirements = [] }: ReviewedSelector,
  field: string,
  keyFlaws: (key: string) => string[],
): FieldError[] {
  if (rawSelector !== '' && requirements.length > 0)
    return [invalidValue(`${field}.rawSelector`, rawSelector, 'may not specified at the same time as requirements')]
  if (rawSelector === '' && requirements.length === 0) {
    const why = `when ${field} is specified, requirements or rawSelector is required`
    return [required(`${field}.requirements`, why)]
  }
  return requirements.flatMap(({ key = '', operator = '', values = [] }, index) => {
    const at = `${field}.requirements[${index}]`
    const errors: FieldError[] = []
    if ((operator === 'In' || operator === 'NotIn') && values.length === 0)
      errors.push(required(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'"))
    if ((operator === 'Exists' || operator === 'DoesNotExist') && values.length > 0)
      errors.push(forbiddenField(`${at}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"))
    return [...errors, ...invalidFor(`${at}.key`, key, keyFlaws(key))]
  })
}
