import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** A file beside the target that is older than this belongs to a writer that was killed. */
const abandonedAfterMs = 60_000

/**
 * Writes beside the target, flushes file and folder, renames: readers see the old content or the new, mode 0600, and
 * once this returns a crash can no longer lose it. What a killed writer left beside the target is removed.
 */
export async function replaceFile(path: string, content: string): Promise<void> {
  const folder = dirname(path)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const beside = `${path}.${randomUUID()}.new`
  let writtenAtMs: number
  try {
    await using file = await open(beside, 'wx', 0o600)
    await file.writeFile(content)
    await file.sync()
    writtenAtMs = (await file.stat()).mtimeMs
    await rename(beside, path)
  } catch (error) {
    await rm(beside, { force: true })
    throw error
  }
  await using parent = await open(folder, 'r')
  await parent.sync()
  await removeAbandoned(path, writtenAtMs - abandonedAfterMs)
}

async function removeAbandoned(path: string, olderThanMs: number): Promise<void> {
  const isBeside = (entry: string) => entry.startsWith(`${basename(path)}.`) && entry.endsWith('.new')
  for (const entry of (await readdir(dirname(path))).filter(isBeside)) {
    const beside = join(dirname(path), entry)
    const age = await stat(beside).catch(() => undefined)
    if (age && age.mtimeMs < olderThanMs) await rm(beside, { force: true })
  }
}
