import type { FieldPath } from './fields.ts'
import { difference, has, isEmpty, setOf } from './fields.ts'
import type { Managed, ManagedFieldsEntry } from './managed.ts'
import { managerKey, readManaged, writeManaged } from './managed.ts'

const scaleVersion = 'autoscaling/v1'
const inScale: FieldPath = ['f:spec', 'f:replicas']

/**
 * Where the versions of a kind keep the number that a Scale shows, as fields: `spec`, `replicas`. A version without a
 * scale of its own has undefined; one that is not in it is not known.
 */
export type ReplicasPaths = ReadonlyMap<string, readonly string[] | undefined>

type Entries = readonly ManagedFieldsEntry[] | undefined

/** Who owns the number of an object, as owners of the number of its Scale. */
export function managedInScale(parent: Entries, paths: ReplicasPaths): ManagedFieldsEntry[] {
  const owners = readManaged(parent).filter(({ apiVersion, fields }) => {
    const path = fieldPath(paths.get(apiVersion))
    return path && has(fields, path)
  })
  return writeManaged(owners.map((owner) => ({ ...bareOf(owner), apiVersion: scaleVersion, fields: setOf(inScale) })))
}

/**
 * Who owns what of the object once the Scale has these owners. Whoever updated it is known by version too, so that
 * its number comes to stand in an entry of its own, without a time: so it is in Kubernetes.
 */
export function managedByScale(
  parent: Entries,
  scale: Entries,
  paths: ReplicasPaths,
  apiVersion: string,
): ManagedFieldsEntry[] {
  const left = new Map(readManaged(scale).map((owner) => [managerKey(owner), owner]))
  const kept = readManaged(parent).flatMap((owner): Managed[] => {
    if (!paths.has(owner.apiVersion)) return []
    const path = fieldPath(paths.get(owner.apiVersion))
    if (!path || !has(owner.fields, path) || left.delete(managerKey(owner))) return [owner]
    const fields = difference(owner.fields, setOf(path))
    return isEmpty(fields) ? [] : [{ ...bareOf(owner), fields }]
  })
  const own = fieldPath(paths.get(apiVersion))
  const taken = [...left.values()].filter(({ fields }) => own && has(fields, inScale))
  return writeManaged([
    ...kept,
    ...taken.map((owner) => ({ ...bareOf(owner), apiVersion, fields: setOf(own ?? []), time: undefined })),
  ])
}

const fieldPath = (steps: readonly string[] | undefined): FieldPath | undefined => steps?.map((step) => `f:${step}`)

function bareOf(managed: Managed): Managed {
  const { written: _, ...rest } = managed
  return rest
}
