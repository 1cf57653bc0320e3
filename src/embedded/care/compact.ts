import { statSync } from 'node:fs'
import { failures } from '../failures.ts'
import { openStore } from '../storage/open-store.ts'
import { detailOf } from '../storage/private-files.ts'
import type { CareDeps } from './ground.ts'
import { lockOr, needData, stateOf } from './ground.ts'
import { objectsNow } from './snapshot.ts'

export interface CompactReport {
  dir: string
  bytesBefore: number
  bytesAfter: number
  objects: number
  revision: number
}

export async function compact({ dir }: { dir: string }, deps: CareDeps): Promise<CompactReport> {
  needData(dir)
  using _lock = lockOr(dir, deps, failures.EMBEDDED_COMPACT_RUNNING)
  const bytesBefore = bytesOf(dir)
  const store = openStore({ dir, ...deps })
  try {
    await store.compact().catch((error: unknown) => {
      throw failures.EMBEDDED_NOT_COMPACTED({ dir, detail: detailOf(error) }, error)
    })
    const { revision } = store
    const objects = objectsNow(store).length
    await store.close()
    return { dir, bytesBefore, bytesAfter: bytesOf(dir), objects, revision }
  } finally {
    await store.close()
  }
}

const bytesOf = (dir: string): number =>
  [stateOf(dir), `${stateOf(dir)}-wal`].reduce(
    (sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0),
    0,
  )
