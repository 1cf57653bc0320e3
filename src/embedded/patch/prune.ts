import type { ApiObject } from '../objects.ts'
import type { FieldSet } from './fields.ts'
import { difference, intersection, isEmpty, noFields, union } from './fields.ts'
import type { Managed } from './managed.ts'
import { remove } from './remove.ts'
import { fieldsOf, withNamedParents } from './typed.ts'
import type { Versions, View } from './views.ts'

/**
 * The merged object without what its manager applied the last time and does not any more, unless another owns it.
 * `owners` are all managers as they are from now on, the one who applies among them.
 */
export function prune(
  merged: ApiObject,
  last: Managed | undefined,
  owners: readonly Managed[],
  versions: Versions,
): ApiObject {
  if (!last || isEmpty(last.fields)) return merged
  const view = versions.view(
    merged,
    last.apiVersion,
    'failed to prune fields: failed to convert merged object to last applied version',
  )
  if (!view) return merged
  const dropped = withNamedParents(view.schema, last.fields)
  const stripped = removed(view, dropped)
  const owned = withOwned(view, stripped, owners, versions)
  const pruned = withUnowned(view, owned, dropped)
  return versions.view(pruned, versions.apiVersion)?.object ?? merged
}

const addBack = 'failed to prune fields: failed add back owned items: failed to convert'

/** Puts back what somebody owns. */
function withOwned({ object }: View, stripped: ApiObject, owners: readonly Managed[], versions: Versions): ApiObject {
  const byVersion = new Map<string, FieldSet>([[object.apiVersion, noFields]])
  for (const { apiVersion, fields } of owners)
    byVersion.set(apiVersion, union(byVersion.get(apiVersion) ?? noFields, fields))
  let kept = stripped
  for (const [apiVersion, owned] of byVersion) {
    const all = versions.view(object, apiVersion, `${addBack} merged object at version ${apiVersion}`)
    const left = versions.view(kept, apiVersion, `${addBack} pruned object at version ${apiVersion}`)
    if (!all || !left) continue
    const staying = union(fieldsIn(left), withNamedParents(all.schema, owned))
    kept = removed(all, difference(fieldsIn(all), staying))
  }
  return kept
}

/** Puts back what was never this manager's, and went because what it stands in did. */
function withUnowned(view: View, owned: ApiObject, dropped: FieldSet): ApiObject {
  const left = fieldsIn({ object: owned, schema: view.schema })
  return removed(view, intersection(difference(fieldsIn(view), left), dropped))
}

const fieldsIn = ({ object, schema }: View): FieldSet => withNamedParents(schema, fieldsOf(schema, object))

const removed = ({ object, schema }: View, fields: FieldSet): ApiObject => remove(schema, object, fields) as ApiObject
