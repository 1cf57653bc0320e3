import type { ApiObject } from '../objects.ts'
import type { FieldSet } from './fields.ts'
import { difference, differenceBelow, setOf } from './fields.ts'

const meta = (name: string) => ['f:metadata', `f:${name}`]

/** What says which object this is, and what the server alone sets: nobody owns it. */
const ownerless = setOf(
  ['f:apiVersion'],
  ['f:kind'],
  ['f:metadata'],
  ...['name', 'namespace', 'creationTimestamp', 'selfLink', 'uid', 'clusterName', 'generation'].map(meta),
  ...['managedFields', 'resourceVersion'].map(meta),
)

export const withoutOwnerless = (fields: FieldSet): FieldSet => difference(fields, ownerless)

/** Paths of fields, from the top, that a request cannot change: `status` through the main resource. */
export type Ignored = readonly (readonly string[])[]

export const ignoredFields = (paths: Ignored = []): FieldSet =>
  setOf(...paths.map((path) => path.map((name) => `f:${name}`)))

export const withoutIgnored = (fields: FieldSet, ignored: FieldSet): FieldSet => differenceBelow(fields, ignored)

/** The object as its fields are counted: without what says who owns them. */
export function bare(object: ApiObject): ApiObject {
  if (object.metadata?.managedFields === undefined) return object
  const { managedFields: _, ...metadata } = object.metadata
  return { ...object, metadata }
}
