import type { FSWatcher } from 'node:fs'
import { statSync, watch } from 'node:fs'
import { readlink } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'
import type { Clock } from '../clock.ts'
import { after, sleep } from '../clock.ts'
import type { Failure } from '../failure.ts'
import { isFailure } from '../failure.ts'
import { wakeUp } from '../wake-up.ts'
import type { ConfigSources, LoadedConfig } from './load.ts'
import { loadConfig } from './load.ts'
import type { ConfigSchema } from './settings.ts'

export interface WatchConfigOptions {
  signal: AbortSignal
  clock: Clock
  /**
   * Called once when a change cannot be taken over, the last good configuration staying in force, and once with
   * undefined when the files are good again.
   */
  onTrouble(failure: Failure | undefined): void
  /**
   * Milliseconds of quiet after a change before the files are read, for an editor writes more than once; and between the
   * two looks that have to agree on a change before it counts. Default 100.
   */
  settleMs?: number
  /** Milliseconds after which the files are read without any sign of change: some file systems give none. Default 60,000. */
  recheckMs?: number
}

/**
 * The configuration after each change of its file or of a secret it names: written in place, replaced by a rename
 * as editors do, or swapped by a link as mounted ConfigMaps and Secrets are. Ends when the signal aborts.
 */
export async function* watchConfig<S extends ConfigSchema>(
  schema: S,
  sources: ConfigSources,
  current: LoadedConfig<S>,
  { signal, clock, onTrouble, settleMs = 100, recheckMs = 60_000 }: WatchConfigOptions,
): AsyncGenerator<LoadedConfig<S>, void, void> {
  const change = wakeUp(clock)
  using folders = folderWatcher(change.poke)
  let good = current
  let trouble: Failure | undefined
  /** What was read once and is news. A file that is being written in place is empty, or cut off, for a moment. */
  let unconfirmed: Outcome<S> | undefined
  const isKnown = (next: Outcome<S>) =>
    isFailure(next) ? isSame(next, trouble) : trouble === undefined && isSame(next, good)
  try {
    // Something may have changed since `current` was read.
    for (;;) {
      folders.follow(await foldersOf(good.files))
      change.reset()
      const next: Outcome<S> = await loadConfig(schema, sources).catch((error: unknown) => {
        if (!isFailure(error)) throw error
        return error
      })
      if (isKnown(next)) {
        unconfirmed = undefined
        await change.wait(after(clock.now(), recheckMs), signal)
      } else if (isSame(next, unconfirmed)) {
        const repaired = trouble !== undefined
        trouble = isFailure(next) ? next : undefined
        if (trouble || repaired) onTrouble(trouble)
        if (isFailure(next) || isSame(next, good)) continue
        good = next
        yield good
        continue
      } else unconfirmed = next
      await sleep(clock, settleMs, signal)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

type Outcome<S extends ConfigSchema> = LoadedConfig<S> | Failure

const isSame = <S extends ConfigSchema>(one: Outcome<S>, other: Outcome<S> | undefined): boolean => {
  if (other === undefined || isFailure(one) !== isFailure(other)) return false
  if (isFailure(one)) return one.message === (other as Failure).message
  return one.fingerprint.equals((other as LoadedConfig<S>).fingerprint)
}

/**
 * Watches folders, not files: a file that is replaced takes its watch with it. So does a folder, which is why each is
 * known by its inode. What cannot be watched is left to the recheck.
 */
function folderWatcher(onChange: () => void) {
  const watchers = new Map<string, { watcher: FSWatcher; inode: number }>()
  const drop = (folder: string) => {
    watchers.get(folder)?.watcher.close()
    watchers.delete(folder)
  }
  const add = (folder: string) => {
    try {
      const inode = statSync(folder).ino
      if (watchers.get(folder)?.inode === inode) return
      drop(folder)
      watchers.set(folder, { watcher: watch(folder, onChange).on('error', () => drop(folder)), inode })
    } catch {
      drop(folder)
    }
  }
  return {
    follow(folders: ReadonlySet<string>): void {
      for (const folder of watchers.keys()) if (!folders.has(folder)) drop(folder)
      for (const folder of folders) add(folder)
    },
    [Symbol.dispose]: () => {
      for (const folder of watchers.keys()) drop(folder)
    },
  }
}

/** The folders in which something happens when one of the files changes: its own, and that of every link on the way to it. */
async function foldersOf(files: readonly string[]): Promise<Set<string>> {
  const folders = new Set<string>()
  const visit = async (file: string, hops: number): Promise<void> => {
    folders.add(dirname(file))
    if (hops === 0) return
    const steps = file.split(sep)
    for (let length = 2; length <= steps.length; length++) {
      const place = steps.slice(0, length).join(sep)
      const target = await readlink(place).catch(() => undefined)
      if (target === undefined) continue
      folders.add(dirname(place))
      return visit(join(resolve(dirname(place), target), ...steps.slice(length)), hops - 1)
    }
  }
  for (const file of files) await visit(file, 10)
  return folders
}
