import { isDeepStrictEqual } from 'node:util'
import type { ApiObject } from '../objects.ts'

const advice =
  'API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests'

/** Owners that are named twice are kept once, and the client is told. Patches are looked at after admission only. */
export function dropRepeatedOwners(
  { metadata }: ApiObject,
  warn: (message: string) => void,
  when: 'sent' | 'admitted',
) {
  const { ownerReferences = [] } = metadata
  const isRepeated = (_: unknown, index: number) =>
    ownerReferences.slice(0, index).some((other) => isDeepStrictEqual(other, ownerReferences[index]))
  const repeated = ownerReferences.filter(isRepeated)
  if (repeated.length === 0) return
  metadata.ownerReferences = ownerReferences.filter((owner, index) => !isRepeated(owner, index))
  const found = `contains duplicate entries${when === 'admitted' ? ' after mutating admission happens' : ''}`
  const uids = repeated.map(({ uid }) => uid).join(', ')
  warn(`.metadata.ownerReferences ${found}; ${advice}; duplicate UID(s) observed: ${uids}`)
}
