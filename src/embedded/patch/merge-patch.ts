import { isObject } from '../../core/schema/schema.ts'
import { badRequest } from '../status.ts'
import { member } from './json.ts'
import { cannotDecode } from './patch-failures.ts'

type Json = Record<string, unknown>

/**
 * RFC 7386. As the API server does it, null members go from objects inside of lists too, where the RFC leaves a list
 * as it is. A new object; it shares parts of both.
 */
export function applyMergePatch(document: Json, patch: unknown): Json {
  if (patch === null) throw badRequest('Invalid JSON Patch')
  if (!isObject(patch)) throw cannotDecode(patch, 'value of type map[string]interface {}')
  return mergeObjects(document, patch)
}

function mergeObjects(document: Json, patch: Json): Json {
  const names = new Set([...Object.keys(document), ...Object.keys(patch)])
  return Object.fromEntries(
    [...names].flatMap((name) => {
      if (!Object.hasOwn(patch, name)) return [[name, document[name]]]
      const change = patch[name]
      return change === null ? [] : [[name, mergeValues(member(document, name), change)]]
    }),
  )
}

const mergeValues = (value: unknown, change: unknown): unknown =>
  isObject(value) && isObject(change) ? mergeObjects(value, change) : withoutNulls(change)

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isObject(value)) return value
  const members = Object.entries(value).filter(([, content]) => content !== null)
  return Object.fromEntries(members.map(([name, content]) => [name, withoutNulls(content)]))
}
