import type { Schema } from '../../core/schema/schema.ts'
import { isObject } from '../../core/schema/schema.ts'
import { definitionOf } from '../kinds/facts/schemas.ts'
import type { ApiObject } from '../objects.ts'

const known = new WeakMap<Schema, Record<string, unknown>>()

/**
 * What a new object is compared with. A built-in kind is a structure whose parts are there from the start (its schema
 * defaults them), so that nobody comes to own `spec` itself; an object of a custom kind has what was sent.
 */
export function emptyObject(created: ApiObject, builtIn: Schema | undefined): ApiObject {
  const { apiVersion, kind } = created
  if (!builtIn) return { apiVersion, kind } as ApiObject
  let empty = known.get(builtIn)
  if (!empty) {
    empty = emptyValue(builtIn)
    known.set(builtIn, empty)
  }
  return { ...withNulls(empty, created), apiVersion, kind } as ApiObject
}

/** A structure that shows an unset field as null (a time) did so from the start. */
function withNulls(empty: Record<string, unknown>, created: Record<string, unknown>): Record<string, unknown> {
  const filled = { ...empty }
  for (const [name, value] of Object.entries(created)) {
    const initial = filled[name]
    if (value === null) filled[name] = initial ?? null
    else if (isObject(value) && isObject(initial)) filled[name] = withNulls(initial, value)
  }
  return filled
}

/** Optional, and yet never left out: the schema does not tell. */
const writtenAsNull: ReadonlySet<string> = new Set(['io.k8s.api.authentication.v1.TokenRequestSpec.boundObjectRef'])

export function emptyValue(whole: Schema): Record<string, unknown> {
  const { properties = {}, required = [] } = whole
  const fields = Object.entries(properties).flatMap(([name, schema]) => {
    if (isObject(schema.default)) return [[name, { ...emptyValue(schema), ...schema.default }] as const]
    if (schema.default !== undefined) return [[name, schema.default] as const]
    const isShown = required.includes(name) || writtenAsNull.has(`${definitionOf(whole)}.${name}`)
    return isShown ? [[name, null] as const] : []
  })
  return Object.fromEntries(fields)
}
