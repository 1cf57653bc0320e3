import { checkNamespaces } from './check-folder.ts'
import { checkKeys } from './check-keys.ts'
import type { Lost } from './salvage/salvage.ts'
import type { Snapshot } from './snapshot.ts'

export interface Readable {
  snapshot: Snapshot
  lost: readonly Lost[]
}

/** Leaves out keys that do not belong together: a start makes them anew, and would take these as they are. */
export function withGoodKeys({ snapshot, lost }: Readable, now: Date): Readable {
  const unfit = checkKeys(snapshot.files, now)
  const bad = new Set(unfit.filter(({ id }) => id === 'KeyUnfit').map(({ where }) => where))
  return {
    snapshot: { ...snapshot, files: new Map([...snapshot.files].filter(([file]) => !bad.has(file))) },
    lost: [
      ...lost,
      ...unfit.map(({ where, detail }) => ({ where, why: `${detail}; the next start makes another one` })),
      ...checkNamespaces(snapshot.objects).map(({ where, detail, next }) => ({ where, why: `${detail}; ${next}` })),
    ],
  }
}
