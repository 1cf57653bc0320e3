import type { Entry, Store } from '../storage/store.ts'

/** All that a control plane is, at one moment: what a backup holds and a restore brings back. */
export interface Snapshot {
  /** RFC 3339. */
  takenAt: string
  /** The highest that was given out. */
  revision: number
  /** Keys and the like: the content by its path in the folder. */
  files: ReadonlyMap<string, string>
  objects: readonly Entry[]
}

/** Files of a folder that a backup takes along. What is not here is made anew at a start, or is not the plane's. */
export const keptFiles = [
  'pki/server-ca.pem',
  'pki/client-ca.pem',
  'pki/server.pem',
  'pki/admin.pem',
  'pki/service-accounts.pem',
  'port',
] as const

/** Entries never change, so to hold them is to hold the state of this moment, whatever is written afterwards. */
export const objectsNow = (store: Store): readonly Entry[] =>
  store.storages().flatMap((storage) => store.list(storage).entries)

const clockRevision = (now: Date): number => now.getTime() * 1_000

/** What etcd's documentation adds, for a clock that stands before the backup. */
const farAhead = 1_000_000_000

/**
 * Where the counter goes on after data of an earlier moment was brought back. Clients may know of later revisions, even
 * of those after an earlier restore of the same backup: all of them must be behind this one, so that they are told
 * `410 Expired` and list again, rather than wait for what never comes. Microseconds since 1970 are ahead of whatever
 * was written before now at less than a million changes a second, and nothing needs to be remembered for that.
 */
export const revisionAfterRestore = (now: Date, ...known: readonly number[]): number => {
  const last = Math.max(0, ...known)
  const byClock = clockRevision(now)
  return byClock > last ? byClock : last + farAhead
}
