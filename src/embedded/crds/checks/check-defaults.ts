import { problemsOf } from '../../../core/schema/check.ts'
import { fieldErrorUnder } from '../../../core/schema/field-errors.ts'
import { prune } from '../../../core/schema/prune.ts'
import type { FieldError } from '../../kinds/field-errors.ts'
import { invalidValue } from '../../kinds/field-errors.ts'
import { asRoot } from '../decode-custom.ts'
import { checkEmbeddedResources } from '../embedded-resources.ts'
import type { Node } from './schema-walk.ts'

/** A default must pass the checks of its own field as it stands, without the defaults below it. */
export function checkDefault({ schema, field, role, isMetadata }: Node): FieldError[] {
  const { default: given } = schema
  if (given === undefined || given === null || role === 'nested') return []
  const place = `${field}.default`
  const own = role === 'root' ? asRoot(schema) : schema
  const errors: FieldError[] = []
  if (!isMetadata && prune(own, given).unknown.length > 0)
    errors.push(invalidValue(place, given, 'must not have unknown fields'))
  // Duplicates are left to the objects.
  for (const problem of problemsOf(own, given))
    if (problem.keyword !== 'unique' && problem.keyword !== 'listItem') errors.push(fieldErrorUnder(place, problem))
  return [...errors, ...checkEmbeddedResources(own, given, place)]
}
