import type { FieldSet } from './fields.ts'
import { difference, has, isEmpty, setOf } from './fields.ts'
import type { Managed, ManagedFieldsEntry } from './managed.ts'
import { readManaged, withFields, writeManaged } from './managed.ts'

const replicas = ['f:spec', 'f:replicas']
const replicasAlone: FieldSet = setOf(replicas)

/** Who owns what of the Scale that is shown of an object: those who own its `spec.replicas`. */
export const scaleManagers = (parent: readonly ManagedFieldsEntry[] | undefined): ManagedFieldsEntry[] =>
  writeManaged(
    readManaged(parent)
      .filter(({ fields }) => has(fields, replicas))
      .map((owner) => ({ ...withFields(owner, replicasAlone), apiVersion: 'autoscaling/v1' })),
  )

/** Who owns what of the object after its Scale was written. Whoever is new came through the Scale, at no known time. */
export function managersAfterScale(
  parent: readonly ManagedFieldsEntry[] | undefined,
  scale: readonly ManagedFieldsEntry[] | undefined,
  apiVersion: string,
): ManagedFieldsEntry[] {
  const scaling = readManaged(scale).filter(({ fields }) => has(fields, replicas))
  const owners = readManaged(parent)
  const kept = owners.flatMap((owner) => {
    if (!has(owner.fields, replicas) || scaling.some((other) => isOne(owner, other))) return [owner]
    const fields = difference(owner.fields, replicasAlone)
    return isEmpty(fields) ? [] : [withFields(owner, fields)]
  })
  const added = scaling
    .filter((other) => !owners.some((owner) => isOne(owner, other)))
    .map((other) => ({ ...withFields(other, replicasAlone), apiVersion, time: undefined }))
  return writeManaged([...kept, ...added])
}

const isOne = (a: Managed, b: Managed): boolean =>
  a.manager === b.manager && a.operation === b.operation && a.subresource === b.subresource
