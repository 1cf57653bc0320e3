import type { Schema } from '../../core/schema/schema.ts'
import type { ApiObject } from '../objects.ts'
import type { FieldSet } from './fields.ts'
import { leaf } from './fields.ts'
import type { Managed } from './managed.ts'
import { withFields } from './managed.ts'
import { childSchema } from './typed.ts'
import type { Versions } from './views.ts'

/**
 * What managers own after the schema of a custom kind may have changed: parts of what has become one are it as a whole.
 * The other way nothing is to be done; who owned a whole owns the parts once they are applied.
 */
export const reconciled = (all: readonly Managed[], live: ApiObject, versions: Versions): Managed[] =>
  all.flatMap((managed) => {
    const view = versions.view(live, managed.apiVersion)
    return view ? [withFields(managed, collapsed(view.schema, managed.fields))] : []
  })

function collapsed(schema: Schema | undefined, set: FieldSet): FieldSet {
  if (set.children.size === 0 || schema === undefined) return set
  if (isAtomic(schema)) return leaf
  let children: Map<string, FieldSet> | undefined
  for (const [element, child] of set.children) {
    const whole = collapsed(childSchema(schema, element), child)
    if (whole !== child) children = (children ?? new Map(set.children)).set(element, whole)
  }
  return children ? { member: set.member, children } : set
}

function isAtomic(schema: Schema): boolean {
  if (schema.type === 'array') return !['map', 'set'].includes(schema['x-kubernetes-list-type'] ?? 'atomic')
  return schema['x-kubernetes-map-type'] === 'atomic'
}
