import { isObject } from '../../core/schema/schema.ts'

/** Whether two values are the same JSON. Members that are undefined are not there. */
export function equalJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false
    for (let i = 0; i < a.length; i++) if (!equalJson(a[i], b[i])) return false
    return true
  }
  if (!isObject(a) || !isObject(b)) return false
  for (const name in a) if (!equalJson(a[name], member(b, name))) return false
  for (const name in b) if (b[name] !== undefined && member(a, name) === undefined) return false
  return true
}

/** Of an object that may have a member of any name, `constructor` among them. */
export const member = (object: Record<string, unknown>, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined
