import { failures } from '../failures.ts'
import { lockFolder } from '../storage/lock.ts'
import { readBackup } from './backup-file.ts'
import { checkFolder, checkNamespaces, filesOf } from './check-folder.ts'
import { checkKeys } from './check-keys.ts'
import type { Finding, FindingId } from './findings.ts'
import type { CareDeps } from './ground.ts'
import { lockOr, needData, stateOf } from './ground.ts'
import { insideOf } from './place.ts'
import type { Readable } from './repair.ts'
import { withGoodKeys } from './repair.ts'
import { place } from './restore.ts'
import { readPages } from './salvage/pages.ts'
import type { Lost } from './salvage/salvage.ts'
import { salvage } from './salvage/salvage.ts'
import { revisionAfterRestore } from './snapshot.ts'

export interface FsckReport {
  /** The folder or the backup that was looked at. */
  checked: string
  findings: readonly Finding[]
  repaired?: { dir: string; objects: number; revision: number; lost: readonly Lost[] }
}

export type FsckOf = { dir: string } | { from: string }

export async function fsck(of: FsckOf, repairTo: string | undefined, deps: CareDeps): Promise<FsckReport> {
  const now = deps.clock.now()
  if ('from' in of) {
    const { snapshot, damage } = await readBackup(of.from)
    const findings: Finding[] = [
      ...damage.map(({ where, detail }) => ({
        ...({ id: 'BackupDamaged', where, detail } as const),
        next: 'take another backup, or save what is readable with --repair NEW-FOLDER',
      })),
      ...checkKeys(snapshot.files, now),
      ...checkNamespaces(snapshot.objects),
    ]
    const lost = damage.map(({ where, detail }) => ({ where, why: detail }))
    return report(of.from, findings, repairTo, () => ({ snapshot, lost }), deps)
  }
  needData(of.dir)
  using _lock = lockOr(of.dir, deps, failures.EMBEDDED_FSCK_RUNNING)
  const findings = checkFolder(of.dir, now)
  return report(of.dir, findings, repairTo, () => readableIn(of.dir, findings, now), deps)
}

/** Findings that say that rows may be gone of which nothing else is left to tell. */
const hidesRows: readonly FindingId[] = ['Unreadable', 'LogMissing', 'LogDamaged', 'PageDamaged']

function readableIn(dir: string, findings: readonly Finding[], now: Date): Readable {
  const { objects, revision, lost, gaps } = salvage(readPages(stateOf(dir)))
  const hidden = findings
    .filter(({ id }) => hidesRows.includes(id))
    .map(({ where, detail }) => ({ where, why: `${detail}; what was there may be missing` }))
  const all = [...lost, ...hidden]
  return {
    snapshot: { takenAt: now.toISOString(), revision, objects, files: filesOf(dir) },
    lost: all.length > 0 ? [...all, ...gaps] : [],
  }
}

function report(
  checked: string,
  findings: readonly Finding[],
  repairTo: string | undefined,
  read: () => Readable,
  deps: CareDeps,
): FsckReport {
  if (repairTo === undefined) return { checked, findings }
  const { snapshot, lost } = withGoodKeys(read(), deps.clock.now())
  if (snapshot.objects.length === 0)
    throw failures.EMBEDDED_NOTHING_READABLE({ from: checked, detail: lost[0]?.why ?? 'it holds no objects' })
  using _lock = lockFolder(repairTo, deps.checkpoint)
  const inside = insideOf(repairTo)
  if (inside.length > 0) throw failures.EMBEDDED_REPAIR_NOT_EMPTY({ dir: repairTo, inside: inside.join(', ') })
  const { dir, objects, revision } = place(
    repairTo,
    snapshot,
    revisionAfterRestore(deps.clock.now(), snapshot.revision),
    deps,
  )
  return { checked, findings, repaired: { dir, objects, revision, lost } }
}
