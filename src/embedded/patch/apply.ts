import type { Schema } from '../../core/schema/schema.ts'
import type { ApiObject } from '../objects.ts'
import { ApiFailure, badRequest } from '../status.ts'
import { timeText } from '../time-text.ts'
import { checkTyped } from './check-typed.ts'
import type { Contested } from './conflicts.ts'
import { applyConflict } from './conflicts.ts'
import { emptyObject } from './empty-object.ts'
import type { FieldSet } from './fields.ts'
import { difference, intersection, isEmpty, union } from './fields.ts'
import { equalJson } from './json.ts'
import { allowedByLastApplied, withLastApplied } from './last-applied.ts'
import { recordUpdate, without } from './manage.ts'
import type { Managed } from './managed.ts'
import { isSameManager, readManaged, writeManaged } from './managed.ts'
import { merge } from './merge.ts'
import type { Ignored } from './own-fields.ts'
import { bare, ignoredFields, withoutIgnored, withoutOwnerless } from './own-fields.ts'
import { prune } from './prune.ts'
import { reconciled } from './reconcile.ts'
import { fieldsOf } from './typed.ts'
import type { Convert } from './views.ts'
import { Unconvertible, Versions } from './views.ts'

export interface Application {
  /** As it is, in the version of the request; undefined when the apply creates it. */
  live: ApiObject | undefined
  /** What the client sent, neither defaulted nor pruned. */
  applied: ApiObject
  schema: Schema
  manager: string
  force: boolean
  now: Date
  /** Of the request, and of the kind that it goes to. */
  apiVersion: string
  kind: string
  subresource?: string
  /** What this request cannot change. */
  ignored?: Ignored
  /** True for kinds of a CustomResourceDefinition. */
  custom?: boolean
  /** Needed where versions differ. Without it fields have the same paths in all of them. */
  convert?: Convert
}

/** Server-side apply. The object is merged and has its managed fields; defaults, admission and checks are yet to come. */
export function serverSideApply(application: Application): { object: ApiObject } {
  const { live, applied, schema } = application
  checkApplied(application)
  checkTyped(schema, applied)
  const before = live ? bare(live) : emptyObject(applied, undefined)
  const { object, managed } = mergedBy(before, application)
  const all = writeManaged(managed)
  if (all.length > 0) object.metadata = { ...object.metadata, managedFields: all }
  return { object: application.manager === 'kubectl' ? withLastApplied(object, applied) : object }
}

function mergedBy(before: ApiObject, application: Application) {
  try {
    return mergeApplied(before, knownManagers(application), application)
  } catch (error) {
    if (error instanceof Unconvertible) throw new ApiFailure(500, '', error.message)
    throw error
  }
}

function checkApplied({ applied, apiVersion, kind }: Application): void {
  if (applied.apiVersion !== apiVersion || applied.kind !== kind) {
    const sent = String(applied.apiVersion ?? '')
    throw badRequest(`invalid object type: ${sent.includes('/') ? sent : `/${sent}`}, Kind=${applied.kind ?? ''}`)
  }
  if ((applied.metadata?.managedFields ?? null) !== null) throw badRequest('metadata.managedFields must be nil')
}

/** What was in the object before anybody applied anything is somebody's too. */
function knownManagers({ live, ...application }: Application): Managed[] {
  const known = readManaged(live?.metadata.managedFields)
  if (known.length > 0 && live && application.custom) {
    const { apiVersion, schema, convert } = application
    return reconciled(known, bare(live), new Versions(apiVersion, schema, convert))
  }
  if (known.length > 0) return known
  if (!live) return []
  return recordUpdate([], { ...application, live: undefined, updated: live, manager: 'before-first-apply' })
}

function mergeApplied(before: ApiObject, known: readonly Managed[], application: Application) {
  const { applied, schema, now, apiVersion, subresource = '', manager, force } = application
  const ignored = ignoredFields(application.ignored)
  const versions = new Versions(apiVersion, schema, application.convert)
  const isOwn = (managed: Managed) => isSameManager(managed, { manager, operation: 'Apply', apiVersion, subresource })
  const last = known.find(isOwn)
  const others = known.filter((managed) => !isOwn(managed))
  const fields = withoutIgnored(fieldsOf(schema, applied), ignored)
  const own: Managed = { manager, operation: 'Apply', apiVersion, subresource, time: last?.time, fields }
  const merged = merge(schema, before, applied) as ApiObject
  const object = prune(merged, last, [...others, own], versions)

  const comparisons = versions.comparisons(before, object)
  const contested = others.flatMap((owner): Contested[] => {
    const change = comparisons(owner.apiVersion)
    if (!change) return []
    const wanted = intersection(owner.fields, withoutIgnored(union(change.modified, change.added), ignored))
    return isEmpty(wanted) ? [] : [{ owner, fields: wanted }]
  })
  refuseConflicts(contested, application, force)

  const managed = others.flatMap((owner) => {
    const change = comparisons(owner.apiVersion)
    return change ? without(owner, change, ignored) : []
  })
  const owned = withoutOwnerless(fields)
  const time = equalJson(before, object) ? last?.time : timeText(now)
  return { object: { ...object }, managed: isEmpty(owned) ? managed : [...managed, { ...own, fields: owned, time }] }
}

/** `kubectl apply` on the client's side has a memory in an annotation; its own apply on the server's may undo that. */
function refuseConflicts(contested: readonly Contested[], application: Application, force: boolean): void {
  if (force || contested.length === 0) return
  const allowed = application.manager === 'kubectl' ? allowedByLastApplied(application) : undefined
  const left = contested.flatMap(({ owner, fields }) => remaining(owner, fields, allowed))
  if (left.length > 0) throw applyConflict(left)
}

function remaining(owner: Managed, fields: FieldSet, allowed: FieldSet | undefined): Contested[] {
  const left = allowed ? difference(fields, allowed) : fields
  return isEmpty(left) ? [] : [{ owner, fields: left }]
}
