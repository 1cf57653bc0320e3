import { isObject } from '../../../core/schema/schema.ts'
import { badFormat, incomparable, unknownDirective } from './refusals.ts'

export type Json = Record<string, unknown>

/** In a map or an item of a list: what becomes of it. */
export const patchDirective = '$patch'
/** Members of these names have the name of a list behind a slash. */
export const deletionPrefix = '$deleteFromPrimitiveList'
export const orderPrefix = '$setElementOrder'
const retainDirective = '$retainKeys'

export const hasDirective = (value: unknown): boolean => isObject(value) && Object.hasOwn(value, patchDirective)

/** The list that a directive is about. */
export function subjectOf(name: string, prefix: typeof deletionPrefix | typeof orderPrefix): string {
  if (name.startsWith(`${prefix}/`)) return name.slice(prefix.length + 1)
  throw badFormat(prefix === orderPrefix ? 'setElementOrder list' : 'primitive list')
}

/** The map that a patch with `$patch` leaves. */
export function replacement(patch: Json): Json {
  switch (patch[patchDirective]) {
    case 'replace':
      delete patch[patchDirective]
      return patch
    case 'delete':
      return {}
    default:
      throw unknownDirective(patch[patchDirective], patch)
  }
}

/** Drops the members of a document that `$retainKeys` does not name. The patch may set no others. */
export function retainKeys(document: Json, patch: Json): void {
  if (!Object.hasOwn(patch, retainDirective)) return
  const names = patch[retainDirective]
  delete patch[retainDirective]
  if (!Array.isArray(names)) throw badFormat('retainKeys')
  for (const name of names) if (typeof name === 'object' && name !== null) throw incomparable(name)
  const retained = new Set<unknown>(names)
  const isOther = (name: string) => !name.startsWith(deletionPrefix) && !name.startsWith(orderPrefix)
  for (const name in patch)
    if (patch[name] !== null && isOther(name) && !retained.has(name)) throw badFormat('retainKeys')
  for (const name in document) if (!retained.has(name)) delete document[name]
}

/**
 * What a patch brings where nothing was: without null members, and without the maps that have a directive. Undefined
 * when it is such a map itself. Changes what it is given, which failures show afterwards.
 */
export function asNew(value: unknown): unknown {
  dropNulls(value)
  return withoutDirectives(value)
}

function dropNulls(value: unknown): void {
  if (Array.isArray(value)) for (const item of value) dropNulls(item)
  else if (isObject(value))
    for (const name in value) {
      if (value[name] === null) delete value[name]
      else dropNulls(value[name])
    }
}

/** Undefined for a map that has one. */
export function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined)
  if (hasDirective(value)) return undefined
  if (!isObject(value)) return value
  for (const name in value) {
    const kept = withoutDirectives(value[name])
    if (kept === undefined) delete value[name]
    else value[name] = kept
  }
  return value
}
