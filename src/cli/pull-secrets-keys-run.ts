import type { Command } from 'commander'
import { systemClock } from '../core/clock.ts'
import type { KeyStatus } from '../pull-secrets/keys/index.ts'
import {
  addKey,
  dropKey,
  ensureKeyRing,
  keyStatus,
  openKeyRing,
  recordKeys,
  retireKey as retire,
} from '../pull-secrets/keys/index.ts'
import { migrate } from '../pull-secrets/store/database.ts'
import { hintOn } from './print-on.ts'
import { silentProgress } from './progress.ts'
import type { StoreOptions } from './pull-secrets-database.ts'
import { openTablesBeside, ringPathOf } from './pull-secrets-database.ts'
import { settingsIn } from './pull-secrets-run.ts'
import { pullFolder, sameFlags } from './pull-secrets-server.ts'
import type { ShowOptions } from './pull-secrets-show.ts'
import { print, show } from './pull-secrets-show.ts'
import { loadSettings } from './settings.ts'
import type { Stop } from './stop-signal.ts'
import { formatSpan } from './table.ts'

const actor = { name: 'operator:local' }

async function local(command: Command, stop: Stop) {
  const { settings, log } = await loadSettings(command, settingsIn(command.opts()))
  const options: StoreOptions = {
    folder: pullFolder(settings.data),
    config: settings.pullSecrets,
    environmentUrl: process.env['DATABASE_URL'],
    show: silentProgress.show,
  }
  return { options, path: ringPathOf(options), deps: { clock: systemClock, log, signal: stop.signal } }
}

export async function listKeys({ output }: ShowOptions, command: Command, stop: Stop): Promise<void> {
  const { options, path, deps } = await local(command, stop)
  await using tables = await openTablesBeside(options, deps)
  await migrate(tables.database.db, deps)
  const ring = await openKeyRing(path, deps)
  const rows = await keyStatus(tables.database.db, ring.current())
  const now = deps.clock.now().getTime()
  const state = ({ keyId, status }: KeyStatus) => (keyId === ring.current().active ? 'active' : status)
  show(output, rows, [
    { heading: 'KEY', cell: ({ keyId }) => keyId },
    { heading: 'STATE', cell: state },
    { heading: 'SEALS', cell: ({ tokens }) => String(tokens) },
    { heading: 'IN FILE', cell: ({ inRing }) => (inRing ? 'yes' : 'no') },
    { heading: 'AGE', cell: ({ createdAt }) => createdAt && formatSpan(now - createdAt.getTime()) },
  ])
}

/** A service that runs sees the file change, seals with the new key, and seals the rest anew by and by. */
export async function rotateKeys({ output }: ShowOptions, command: Command, stop: Stop): Promise<void> {
  const { path, deps } = await local(command, stop)
  const isNew = await ensureKeyRing(path)
  const before = (await openKeyRing(path, deps)).current().active
  if (isNew && output === 'json') return print(`${JSON.stringify({ file: path, active: before })}\n`)
  if (isNew) return print(`✔ ${before} seals tokens from now on, in ${path}; back it up apart from the database\n`)
  const key = await addKey(path, { activate: true })
  if (output === 'json') return print(`${JSON.stringify({ file: path, active: key, before })}\n`)
  print(`✔ ${key} seals tokens from now on, in ${path}\n`)
  const flags = sameFlags(command)
  hintOn(command)(
    `Once ${before} seals nothing any more (lanyard pull-secrets keys list${flags}), in 5 minutes at the earliest:\n`,
  )
  hintOn(command)(`lanyard pull-secrets keys retire ${before}${flags}\n`)
}

export async function retireKey(id: string, { output }: ShowOptions, command: Command, stop: Stop): Promise<void> {
  const { options, path, deps } = await local(command, stop)
  await using tables = await openTablesBeside(options, deps)
  await migrate(tables.database.db, deps)
  const ring = await openKeyRing(path, deps)
  await recordKeys(tables.database.db, ring.current())
  await retire(tables.database.db, id, actor, deps.clock.now())
  await dropKey(path, id)
  if (output === 'json') return print(`${JSON.stringify({ file: path, retired: id })}\n`)
  print(`✔ ${id} is retired and gone from ${path}\n`)
}
