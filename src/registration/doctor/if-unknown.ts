import { isForbidden, isNotFound } from '../../kube/failures.ts'

/** A kind that is not served, or that this user may not read, tells nothing. */
export function ifUnknown(error: unknown): undefined {
  if (isForbidden(error) || isNotFound(error)) return undefined
  throw error
}
