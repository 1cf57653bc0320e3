import type { ApiObject } from '../objects.ts'
import type { Entry } from './store.ts'

const shared = new WeakMap<Entry, ApiObject>()

/** The object of an entry, parsed once and shared: not to be changed. */
export function parsed<T extends object = ApiObject>(entry: Entry): T {
  let object = shared.get(entry)
  if (object === undefined) {
    object = JSON.parse(entry.text) as ApiObject
    shared.set(entry, object)
  }
  return object as unknown as T
}

/** A copy of the object that the caller may change. */
export const fresh = <T extends object = ApiObject>(entry: Entry): T => JSON.parse(entry.text) as T
