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
  if (ownerReferences.length < 2) return
  // By their text: to compare each with each took seconds for some thousand of them.
  const known = new Set<string>()
  const kept: typeof ownerReferences = []
  const repeated: typeof ownerReferences = []
  for (const owner of ownerReferences) {
    const text = JSON.stringify(Object.entries(owner).sort(([a], [b]) => (a < b ? -1 : 1)))
    ;(known.has(text) ? repeated : kept).push(owner)
    known.add(text)
  }
  if (repeated.length === 0) return
  metadata.ownerReferences = kept
  const found = `contains duplicate entries${when === 'admitted' ? ' after mutating admission happens' : ''}`
  const uids = repeated.map(({ uid }) => uid).join(', ')
  warn(`.metadata.ownerReferences ${found}; ${advice}; duplicate UID(s) observed: ${uids}`)
}
