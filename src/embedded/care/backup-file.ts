import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { Checkpoint } from '../../core/checkpoint.ts'
import { isFailure } from '../../core/failure.ts'
import { linesIn } from '../../core/text-lines.ts'
import { failures } from '../failures.ts'
import { detailOf, syncFolder } from '../storage/private-files.ts'
import type { ReadBackup } from './backup-lines.ts'
import { backupFormat, backupLines, readBackupLines } from './backup-lines.ts'
import type { CareDeps } from './ground.ts'
import type { Snapshot } from './snapshot.ts'

const chunkBytes = 256 * 1024

/** Readable by its owner alone, on disk when this resolves; until then the file is what it was before. */
export async function writeBackup(
  file: string,
  snapshot: Snapshot,
  { checkpoint, clock }: Pick<CareDeps, 'checkpoint' | 'clock'>,
): Promise<number> {
  const path = resolve(file)
  const beside = `${path}.${randomUUID()}.new`
  try {
    await removeAbandoned(path, clock.now())
    const bytes = await writeAll(beside, snapshot, checkpoint)
    checkpoint('kube-backup.written')
    await rename(beside, path)
    syncFolder(dirname(path))
    checkpoint('kube-backup.renamed')
    return bytes
  } catch (error) {
    await rm(beside, { force: true })
    throw failures.EMBEDDED_BACKUP_UNUSABLE({ file, detail: detailOf(error) }, error)
  }
}

async function writeAll(path: string, snapshot: Snapshot, checkpoint: Checkpoint): Promise<number> {
  await using out = await open(path, 'wx', 0o600)
  checkpoint('kube-backup.begun')
  let [waiting, bytes] = ['', 0]
  const flush = async () => {
    bytes += Buffer.byteLength(waiting)
    await out.writeFile(waiting)
    waiting = ''
  }
  for (const line of backupLines(snapshot)) {
    waiting += line
    if (waiting.length >= chunkBytes) await flush()
  }
  await flush()
  await out.sync()
  return bytes
}

const abandonedAfterMs = 3_600_000

/** What a killed one left holds keys, and is nobody's. */
async function removeAbandoned(path: string, now: Date): Promise<void> {
  for (const name of await readdir(dirname(path))) {
    // Exactly the names above: beside it there may be a kube.backup.mine.new of somebody's.
    if (!name.startsWith(`${basename(path)}.`) || !besideName.test(name.slice(basename(path).length))) continue
    const beside = join(dirname(path), name)
    const found = await stat(beside).catch(() => undefined)
    if (found && now.getTime() - found.mtimeMs > abandonedAfterMs) await rm(beside, { force: true })
  }
}

const besideName = /^\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.new$/

/** As much as is readable of it. */
export async function readBackup(file: string): Promise<ReadBackup> {
  try {
    const read = await readBackupLines(linesIn(createReadStream(file, 'utf8')))
    if (read.format !== undefined && read.format > backupFormat)
      throw failures.EMBEDDED_BACKUP_TOO_NEW({ file, found: read.format, known: backupFormat })
    return read
  } catch (error) {
    if (isFailure(error)) throw error
    throw failures.EMBEDDED_BACKUP_UNUSABLE({ file, detail: detailOf(error) }, error)
  }
}

/** All of it, or EMBEDDED_BACKUP_DAMAGED. */
export async function readWholeBackup(file: string): Promise<Snapshot> {
  const { snapshot, damage } = await readBackup(file)
  const [first] = damage
  if (first) throw failures.EMBEDDED_BACKUP_DAMAGED({ file, detail: `${first.where}: ${first.detail}` })
  return snapshot
}
