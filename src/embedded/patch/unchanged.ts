import type { ApiObject } from '../objects.ts'
import { equalJson } from './json.ts'
import { bare } from './own-fields.ts'

/** Whether a write leaves everything as it was. When somebody last changed what they own does not count. */
export function isUnchanged(before: ApiObject, after: ApiObject): boolean {
  const [then, now] = [before.metadata.managedFields ?? [], after.metadata.managedFields ?? []]
  return (
    then.length === now.length &&
    then.every((entry, i) => equalJson({ ...entry, time: undefined }, { ...now[i], time: undefined })) &&
    equalJson(bare(before), bare(after))
  )
}
