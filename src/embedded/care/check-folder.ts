import { constants, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { failures } from '../failures.ts'
import { historyChecksum } from '../storage/checksum.ts'
import { format, pragma, whyNotOurs } from '../storage/formats.ts'
import type { FoundRow } from '../storage/inspect-row.ts'
import { rowName, whyDamaged } from '../storage/inspect-row.ts'
import { whyEmpty, whyLogLost } from '../storage/left-behind.ts'
import { detailOf } from '../storage/private-files.ts'
import { passingName } from '../storage/restored.ts'
import type { Entry } from '../storage/store.ts'
import { checkKeys } from './check-keys.ts'
import type { Finding, FindingId } from './findings.ts'
import { keptFiles } from './snapshot.ts'

const database = 'state.db'

/** How many findings SQLite's own check makes at most. */
const mostPages = 100

/** Everything that can be wrong with a folder, which is locked. Changes nothing in it. */
export function checkFolder(dir: string, now: Date): Finding[] {
  const path = join(dir, database)
  return [...checkModes(dir), ...checkLog(path), ...checkDatabase(dir), ...checkKeys(filesOf(dir), now)]
}

/** Those that a backup keeps, as far as they are there. */
export function filesOf(dir: string): Map<string, string> {
  const there = keptFiles.filter((file) => existsSync(join(dir, file)))
  return new Map(there.map((file) => [file, readFileSync(join(dir, file), 'utf8')]))
}

function checkModes(dir: string): Finding[] {
  const expected: [file: string, mode: number][] = [
    ['', 0o700],
    ['pki', 0o700],
    ...[database, `${database}-wal`, 'lock.db', 'admin.kubeconfig', ...keptFiles].map(
      (file) => [file, 0o600] as [string, number],
    ),
  ]
  return expected.flatMap(([file, wanted]) => {
    const path = join(dir, file)
    const mode = statSync(path, { throwIfNoEntry: false })?.mode
    if (mode === undefined || (mode & 0o077) === 0) return []
    const detail = `its mode is ${(mode & 0o777).toString(8)}`
    return [{ id: 'OpenToOthers', where: path, detail, next: `chmod ${wanted.toString(8)} ${path}` }]
  })
}

const repair = 'save what is readable with --repair NEW-FOLDER, or bring a backup back with `lanyard kube restore`'

const finding = (id: FindingId, where: string, detail: string, next = repair): Finding => ({ id, where, detail, next })

function checkLog(path: string): Finding[] {
  const why = whyLogLost(path)
  if (why === undefined) return []
  return [finding(existsSync(`${path}-wal`) ? 'LogDamaged' : 'LogMissing', `${path}-wal`, why)]
}

/** With a log, on a copy: to close such a database changes both. */
function checkDatabase(dir: string): Finding[] {
  const path = join(dir, database)
  const empty = whyEmpty(path)
  if (empty !== undefined) return [finding('Unreadable', path, empty)]
  if (!statSync(`${path}-wal`, { throwIfNoEntry: false })?.size) return checkOpened(() => openUnchanging(path), path)
  const folder = join(dir, passingName('check'))
  try {
    mkdirSync(folder, { mode: 0o700 })
    for (const file of [database, `${database}-wal`])
      if (existsSync(join(dir, file))) copyFileSync(join(dir, file), join(folder, file), constants.COPYFILE_FICLONE)
    return checkOpened(() => new DatabaseSync(join(folder, database)), path)
  } catch (error) {
    // No finding: it says nothing about the data that there is no room for a copy.
    throw failures.EMBEDDED_DATA_UNUSABLE({ path, detail: detailOf(error) }, error)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** SQLite makes no file beside it, and needs no room on the disk. */
function openUnchanging(path: string): DatabaseSync {
  const url = pathToFileURL(path)
  url.searchParams.set('immutable', '1')
  return new DatabaseSync(url, { readOnly: true })
}

function checkOpened(open: () => DatabaseSync, path: string): Finding[] {
  let opened: DatabaseSync | undefined
  try {
    opened = open()
    const found = Number(pragma(opened, 'user_version'))
    if (found > format)
      return [finding('TooNew', path, `it has format ${found}`, 'run the newer version that wrote it')]
    const why = whyNotOurs(opened, found)
    if (why) return [finding('NotOurs', path, why)]
    return [...checkPages(opened, path), ...checkHistory(opened, path, found), ...checkRows(opened, path)]
  } catch (error) {
    return [finding('Unreadable', path, detailOf(error))]
  } finally {
    opened?.close()
  }
}

const checkPages = (opened: DatabaseSync, path: string): Finding[] =>
  opened
    .prepare(`PRAGMA integrity_check(${mostPages})`)
    .all()
    .map((row) => String(row['integrity_check']))
    .filter((verdict) => verdict !== 'ok')
    .flatMap((verdict) => verdict.split('\n'))
    .filter((line) => !line.startsWith('***'))
    .map((line) => finding('PageDamaged', path, line))

function checkHistory(opened: DatabaseSync, path: string, found: number): Finding[] {
  const rows = opened.prepare('SELECT * FROM history').all()
  const oldest = Number(rows[0]?.['oldestRevision'])
  const fits = rows.length === 1 && (found === 1 || rows[0]?.['checksum'] === historyChecksum(oldest))
  return fits ? [] : [finding('RowDamaged', path, 'where the history begins is not what was written')]
}

function checkRows(opened: DatabaseSync, path: string): Finding[] {
  const findings: Finding[] = []
  const current = new Map<string, Entry>()
  try {
    for (const found of opened.prepare('SELECT * FROM change ORDER BY revision').iterate()) {
      const row = found as unknown as FoundRow
      const why = whyDamaged(row)
      if (why) findings.push(finding('RowDamaged', `${rowName(row)} at revision ${row.revision}`, why))
      if (row.deleted) current.delete(rowName(row))
      else current.set(rowName(row), row)
    }
  } catch (error) {
    findings.push(finding('PageDamaged', path, `the rows cannot be read to their end: ${detailOf(error)}`))
    return findings
  }
  return [...findings, ...checkNamespaces([...current.values()])]
}

export function checkNamespaces(objects: readonly Entry[]): Finding[] {
  const there = new Set(objects.filter(({ storage }) => storage === 'namespaces').map(({ name }) => name))
  const missing = Map.groupBy(
    objects.filter(({ namespace }) => namespace !== '' && !there.has(namespace)),
    ({ namespace }) => namespace,
  )
  return [...missing].map(([name, inside]) =>
    finding(
      'NamespaceMissing',
      `namespaces ${name}`,
      `${inside.length} objects are in it`,
      `make it: kubectl create namespace ${name}`,
    ),
  )
}
