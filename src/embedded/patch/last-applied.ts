import type { Schema } from '../../core/schema/schema.ts'
import { isObject } from '../../core/schema/schema.ts'
import type { ApiObject } from '../objects.ts'
import { compare } from './compare.ts'
import { canonicalJson } from './elements.ts'
import type { FieldSet } from './fields.ts'
import { difference } from './fields.ts'
import { bare } from './own-fields.ts'
import { fieldsOf } from './typed.ts'

const annotation = 'kubectl.kubernetes.io/last-applied-configuration'

/** Of all annotations of an object, in bytes. */
const annotationLimit = 256 * 1024

/**
 * What `kubectl apply` applied on the client's side the last time and nobody changed since. Undefined when there is no
 * such memory. Whoever is `kubectl` on the server's side is taken for the same.
 */
export function allowedByLastApplied({ live, schema }: { live: ApiObject | undefined; schema: Schema }) {
  const last = parse(live?.metadata.annotations?.[annotation])
  if (!live || !last) return undefined
  const { added, modified, removed } = compare(schema, last, bare(live))
  return [added, modified, removed].reduce<FieldSet>(difference, fieldsOf(schema, last))
}

function parse(text: string | undefined): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '')
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** With the memory brought up to date, where there is one: `kubectl apply` may go back to the client's side. */
export function withLastApplied(object: ApiObject, applied: ApiObject): ApiObject {
  const { annotations } = object.metadata
  if (!annotations?.[annotation]) return object
  const { managedFields: _, annotations: sent, ...metadata } = applied.metadata ?? {}
  const { [annotation]: __, ...kept } = sent ?? {}
  const remembered = { ...applied, metadata: { ...metadata, ...(sent && { annotations: kept }) } }
  const { [annotation]: ___, ...others } = annotations
  const all = { ...others, [annotation]: `${canonicalJson(remembered)}\n` }
  const size = Object.entries(all).reduce((bytes, [name, value]) => bytes + byteLength(name) + byteLength(value), 0)
  return { ...object, metadata: { ...object.metadata, annotations: size > annotationLimit ? others : all } }
}

const byteLength = (text: string): number => Buffer.byteLength(text)
