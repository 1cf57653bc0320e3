import { randomUUID } from 'node:crypto'
import { link, mkdir, open, readFile, rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import * as Type from 'typebox'
import type { Clock } from '../../core/clock.ts'
import { sleep } from '../../core/clock.ts'
import { loadConfig } from '../../core/config/load.ts'
import { secretSetting } from '../../core/config/settings.ts'
import { watchConfig } from '../../core/config/watch.ts'
import { isFailure } from '../../core/failure.ts'
import type { Run } from '../../core/lifecycle.ts'
import { isAbort } from '../../core/lifecycle.ts'
import type { Log } from '../../core/log.ts'
import { replaceFile } from '../../core/replace-file.ts'
import { Secret } from '../../core/secret.ts'
import { failures } from '../failures.ts'
import type { KeyRing } from './ring.ts'
import { formatKeyRing, newKey, parseKeyRing } from './ring.ts'

export interface KeyRingFile {
  /** The ring of the moment: give it to `tokenVault`. */
  current(): KeyRing
  /** Takes over what becomes of the file. One that cannot be used is told of, and the last good ring stays in force. */
  run: Run
}

export interface KeyRingFileOptions {
  clock: Clock
  log: Log
  /** Called after each change, before the new ring is used. While the database is away it is called again and again. */
  onChange?(ring: KeyRing): Promise<void>
  /** Milliseconds between two of these calls. Default 5,000. */
  retryMs?: number
}

/** A mounted Secret is followed like any other secret of the configuration. */
const schema = Type.Object({
  pullSecrets: Type.Object({ keyRing: secretSetting({ description: 'The keys that seal tokens.' }) }),
})

/** Throws when it cannot be used: nobody may start without keys. */
export async function openKeyRing(path: string, options: KeyRingFileOptions): Promise<KeyRingFile> {
  const { clock, log, onChange, retryMs = 5_000 } = options
  const sources = { flags: { 'pullSecrets.keyRingFile': resolve(path) } }
  const loaded = await loadConfig(schema, sources)
  const ringOf = ({ config }: typeof loaded) => parseKeyRing(config.pullSecrets.keyRing, path)
  let ring = ringOf(loaded)
  await warnOfReaders(path, log)

  const takeOver = async (next: KeyRing) => {
    await onChange?.(next)
    ring = next
    log.info({ active: next.active, keys: [...next.keys.keys()] }, 'the key ring was read again')
    await warnOfReaders(path, log)
  }
  /** A change is told once: given up, it would be lost until the next one, and what others seal unreadable here. */
  const takeOverAtLast = async (changed: typeof loaded, signal: AbortSignal) => {
    for (let next = changed; ; ) {
      try {
        return await takeOver(ringOf(next))
      } catch (error) {
        if (!isFailure(error)) throw error
        if (!isFailure(error, 'PULL_DATABASE_AWAY'))
          return log.error({ err: error }, 'the key ring was not taken over; the last good one stays in force')
        log.warn({ err: error }, 'the key ring waits for the database; the last good one stays in force')
      }
      await sleep(clock, retryMs, signal)
      const last = next
      next = await loadConfig(schema, sources).catch(() => last)
    }
  }
  return {
    current: () => ring,
    async run(signal) {
      const onTrouble = (failure: Error | undefined) =>
        failure && log.error({ err: failure }, 'the key ring cannot be read; the last good one stays in force')
      for await (const next of watchConfig(schema, sources, loaded, { signal, clock, onTrouble })) {
        try {
          await takeOverAtLast(next, signal)
        } catch (error) {
          if (!isAbort(error, signal)) throw error
        }
      }
    },
  }
}

async function warnOfReaders(path: string, log: Log): Promise<void> {
  const { mode } = await stat(path)
  if (mode & 0o044) log.warn({ file: path, mode: (mode & 0o777).toString(8) }, 'others may read the key ring')
}

/** Makes a ring of one key where there is none. Of several that try at once, one makes it, and only that one gets true. */
export async function ensureKeyRing(path: string): Promise<boolean> {
  if (await stat(path).catch(() => undefined)) return false
  const [id, key] = newKey()
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const beside = `${path}.${randomUUID()}.new`
  let isMade = true
  try {
    await using file = await open(beside, 'wx', 0o600)
    await file.writeFile(formatKeyRing({ active: id, keys: new Map([[id, key]]) }).reveal())
    await file.sync()
    // Unlike a rename it never replaces what is there: a ring that is overwritten is a fleet of lost tokens.
    await link(beside, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
      isMade = false
    })
  } finally {
    await rm(beside, { force: true })
  }
  await using folder = await open(dirname(path), 'r')
  await folder.sync()
  return isMade
}

/** Adds a new key and gives its id. Several processes get it as one active only once all of them have it. */
export async function addKey(path: string, { activate }: { activate: boolean }): Promise<string> {
  const ring = await ringIn(path)
  const [id, key] = newKey()
  await write(path, { active: activate ? id : ring.active, keys: new Map([...ring.keys, [id, key]]) })
  return id
}

export async function activateKey(path: string, id: string): Promise<void> {
  const ring = await ringIn(path)
  if (!ring.keys.has(id)) throw failures.PULL_KEY_UNKNOWN({ key: id })
  await write(path, { ...ring, active: id })
}

/** Only after `retireKey`: what it sealed could never be read again. */
export async function dropKey(path: string, id: string): Promise<void> {
  const ring = await ringIn(path)
  if (!ring.keys.has(id)) throw failures.PULL_KEY_UNKNOWN({ key: id })
  if (id === ring.active) throw failures.PULL_KEY_ACTIVE({ key: id })
  await write(path, { ...ring, keys: new Map([...ring.keys].filter(([other]) => other !== id)) })
}

const ringIn = async (path: string): Promise<KeyRing> => parseKeyRing(Secret.of(await readFile(path, 'utf8')), path)
const write = (path: string, ring: KeyRing): Promise<void> => replaceFile(path, formatKeyRing(ring).reveal())
