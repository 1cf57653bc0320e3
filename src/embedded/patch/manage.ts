import type { Schema } from '../../core/schema/schema.ts'
import type { ApiObject } from '../objects.ts'
import { timeText } from '../time-text.ts'
import { capManagers } from './cap-managers.ts'
import { misfitOf } from './check-typed.ts'
import type { Comparison } from './compare.ts'
import { emptyObject } from './empty-object.ts'
import type { FieldSet } from './fields.ts'
import { difference, equalSets, isEmpty, noFields, union } from './fields.ts'
import { equalJson } from './json.ts'
import type { Managed, ManagedFieldsEntry } from './managed.ts'
import { isSameManager, parseManaged, readManaged, withFields, writeManaged } from './managed.ts'
import type { Ignored } from './own-fields.ts'
import { bare, ignoredFields, withoutIgnored, withoutOwnerless } from './own-fields.ts'
import { reconciled } from './reconcile.ts'
import { Unkeyed } from './typed.ts'
import type { Convert } from './views.ts'
import { Unconvertible, Versions } from './views.ts'

export interface TrackedWrite {
  /** As it was, in the version of the request; undefined for a create. */
  live: ApiObject | undefined
  /** As the client wants it, with defaults. What admission and the server change later is owned by nobody. */
  updated: ApiObject
  schema: Schema
  manager: string
  now: Date
  apiVersion: string
  subresource?: string
  /** What this request cannot change. */
  ignored?: Ignored
  /** True for kinds of a CustomResourceDefinition: nothing is in a new object but what was sent. */
  custom?: boolean
  /** Needed where versions differ. Without it fields have the same paths in all of them. */
  convert?: Convert
}

/** Who owns which field after a create, an update or a patch that is not an apply. */
export function trackUpdate(write: TrackedWrite): ManagedFieldsEntry[] {
  const known = managedBefore(write)
  if (known.length === 0 && write.live) return []
  if (write.custom && misfitOf(write.schema, bare(write.updated), true) !== undefined) return []
  try {
    return writeManaged(capManagers(recordUpdate(known, write)))
  } catch (error) {
    // So does the real server: what nobody can tell is forgotten.
    if (error instanceof Unkeyed || error instanceof Unconvertible) return []
    throw error
  }
}

/** What a client sends counts, as long as it can be read: clients may edit it, and `[]` or `[{}]` clears it. */
function managedBefore({ live, updated, subresource }: TrackedWrite): Managed[] {
  const [stored, sent] = [live?.metadata.managedFields, updated.metadata.managedFields]
  if (subresource || !Array.isArray(sent) || equalJson(sent, stored)) return readManaged(stored)
  if (sent.length === 0 || (sent.length === 1 && equalJson(sent[0], {}))) return []
  try {
    return parseManaged(sent)
  } catch (error) {
    if (error instanceof SyntaxError) return readManaged(stored)
    throw error
  }
}

/** What was changed goes to who changed it, and is taken from all others. */
export function recordUpdate(owners: readonly Managed[], write: TrackedWrite): Managed[] {
  const { live, updated, schema, manager, now, apiVersion, subresource = '', convert, custom = false } = write
  const ignored = ignoredFields(write.ignored)
  const versions = new Versions(apiVersion, schema, convert)
  const original = live ? bare(live) : emptyObject(updated, custom ? undefined : schema)
  const known = custom ? reconciled(owners, original, versions) : owners
  const comparisons = versions.comparisons(original, bare(updated))
  const changed = comparisons(apiVersion)
  const taken = changed ? withoutIgnored(union(changed.added, changed.modified), ignored) : noFields
  const rest = known.flatMap((other) => {
    const comparison = comparisons(other.apiVersion)
    return comparison ? without(other, comparison, ignored) : []
  })
  const fields = withoutOwnerless(taken)
  if (isEmpty(fields)) return rest
  const taker = { manager: manager || 'unknown', operation: 'Update', apiVersion, subresource } as const
  const before = known.find((other) => isSameManager(other, taker))
  const kept = rest.find((other) => isSameManager(other, taker))
  const all = kept ? union(kept.fields, fields) : fields
  const owner = before && equalSets(before.fields, all) ? before : { ...taker, fields: all }
  return [...rest.filter((other) => other !== kept), { ...owner, time: timeText(now) }]
}

/** An owner without what was changed under it. None when nothing is left. */
export function without(managed: Managed, { added, modified, removed }: Comparison, ignored: FieldSet): Managed[] {
  const lost = withoutIgnored(union(union(added, modified), removed), ignored)
  const fields = difference(managed.fields, lost)
  return isEmpty(fields) ? [] : [withFields(managed, fields)]
}
