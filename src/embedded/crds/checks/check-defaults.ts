import { problemsOf } from '../../../core/schema/check.ts'
import { fieldErrorUnder } from '../../../core/schema/field-errors.ts'
import { prune } from '../../../core/schema/prune.ts'
import type { Schema } from '../../../core/schema/schema.ts'
import type { FieldError } from '../../kinds/field-errors.ts'
import { invalidValue } from '../../kinds/field-errors.ts'
import { asRoot } from '../decode-custom.ts'
import { checkEmbeddedResources } from '../embedded-resources.ts'
import { ruleTree } from '../rules/rule-tree.ts'
import { runRules } from '../rules/run-rules.ts'
import type { Node } from './schema-walk.ts'

export const checkDefaults = (nodes: readonly Node[]): FieldError[] => nodes.flatMap(checkDefault)

/** A default must pass the checks of its own field as it stands, without the defaults below it. */
function checkDefault({ schema, field, role, isMetadata }: Node): FieldError[] {
  const { default: given } = schema
  if (given === undefined || given === null || role === 'nested') return []
  const place = `${field}.default`
  const own = role === 'root' ? asRoot(schema) : schema
  const errors: FieldError[] = []
  if (!isMetadata && prune(own, given).unknown.length > 0)
    errors.push(invalidValue(place, given, 'must not have unknown fields'))
  const problems = checkEmbeddedResources(own, given, place)
  // Duplicates are left to the objects.
  for (const problem of problemsOf(own, given))
    if (problem.keyword !== 'unique' && problem.keyword !== 'listItem') problems.push(fieldErrorUnder(place, problem))
  return [...errors, ...(problems.length > 0 ? problems : checkByRules(own, given, place))]
}

/** As of an object that is new, and of one that was the same before. */
function checkByRules(schema: Schema, value: unknown, field: string): FieldError[] {
  const tree = ruleTree(schema, schema['x-kubernetes-embedded-resource'] === true)
  if (!tree) return []
  const { errors } = runRules(tree, { value, old: value, field, ratchet: {} })
  return errors.length > 0 ? [...errors] : [...runRules(tree, { value, old: undefined, field, ratchet: {} }).errors]
}
