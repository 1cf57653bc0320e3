import { historyChecksum } from '../../storage/checksum.ts'
import type { FoundRow } from '../../storage/inspect-row.ts'
import { rowName, whyDamaged } from '../../storage/inspect-row.ts'
import type { Entry } from '../../storage/store.ts'
import type { Pages } from './pages.ts'
import { freePages } from './pages.ts'
import type { Record } from './records.ts'
import { isOfTable, reachableFrom, recordsOn } from './records.ts'

export interface Lost {
  where: string
  why: string
}

export interface Salvaged {
  /** The latest readable state of each object that was not deleted after it. */
  objects: readonly Entry[]
  /** The highest that was met. */
  revision: number
  lost: readonly Lost[]
  /** Revisions that are not there: lost ones where something is damaged, else such as were never used. */
  gaps: readonly Lost[]
}

/**
 * Reads a database page by page, without SQLite: a page that leads to others and is damaged would hide them all. Only
 * rows that are what was written count. Those that had been deleted may still be on pages that were given up: a row
 * that may be one of them is not brought back, for it may be a right that was taken away.
 */
export function salvage(pages: Pages): Salvaged {
  const free = freePages(pages)
  const lost: Lost[] = []
  const found: { row: FoundRow; isReachable: boolean }[] = []
  const reachable = new Set(rootsOf(pages).flatMap((root) => [...reachableFrom(pages, root)]))
  for (const number of reachable)
    if (!isOfTable(pages, number)) lost.push({ where: `page ${number}`, why: 'it cannot be read' })
  let oldest: number | undefined
  for (let number = 1; number <= pages.count; number++) {
    if (free?.has(number)) continue
    let unreadable = 0
    for (const record of recordsOn(pages, number)) {
      const row = record && rowOf(record)
      const begins = record && oldestIn(record)
      oldest = begins ?? oldest
      if (row) found.push({ row, isReachable: reachable.has(number) })
      else if (begins === undefined && !(record && isOfSchema(number, record))) unreadable++
    }
    if (unreadable > 0) lost.push({ where: `page ${number}`, why: `${unreadable} rows on it cannot be read` })
  }
  const hasChecksums = found.some(({ row }) => row.checksum !== undefined)
  const good: FoundRow[] = []
  for (const { row, isReachable } of found) {
    if (hasChecksums && row.checksum === undefined) continue
    const why = whyDamaged(row)
    const isSure = isReachable || free !== undefined || (oldest !== undefined && row.revision > oldest)
    if (!why && isSure) good.push(row)
    else lost.push({ where: `${rowName(row)} at revision ${row.revision}`, why: why ?? 'it may have been deleted' })
  }
  if (oldest === undefined) lost.push({ where: 'the history', why: 'where it begins cannot be read' })
  good.sort((a, b) => a.revision - b.revision)
  return {
    objects: latest(good),
    revision: Math.max(oldest ?? 0, good.at(-1)?.revision ?? 0),
    lost,
    gaps: gapsIn(good, oldest ?? 0),
  }
}

/** Changes since the history began that are not there. What they changed is as it was before them. */
function gapsIn(rows: readonly FoundRow[], oldest: number): Lost[] {
  const found: Lost[] = []
  let last = oldest
  for (const { revision } of rows) {
    if (revision > last + 1 && last > 0)
      found.push({
        where: revision === last + 2 ? `revision ${last + 1}` : `revisions ${last + 1} to ${revision - 1}`,
        why: 'not found; what they changed or deleted is as it was before, unless they were never used',
      })
    last = Math.max(last, revision)
  }
  return found
}

function latest(rows: readonly FoundRow[]): Entry[] {
  const current = new Map<string, FoundRow>()
  for (const row of rows) {
    const key = `${row.storage}/${row.namespace}/${row.name}`
    if (row.deleted) current.delete(key)
    else current.set(key, row)
  }
  return [...current.values()].map(({ deleted: _, checksum: __, ...entry }) => entry)
}

function rowOf({ rowid, values }: Record): FoundRow | undefined {
  const [, storage, namespace, name, deleted, writtenAt, text, checksum] = values
  if (values.length < 7 || values.length > 8) return undefined
  if (typeof storage !== 'string' || typeof namespace !== 'string' || typeof name !== 'string') return undefined
  if (typeof deleted !== 'number' || typeof writtenAt !== 'number' || typeof text !== 'string') return undefined
  const content = { revision: rowid, storage, namespace, name, deleted, writtenAt, text }
  return values.length === 7 ? content : { ...content, checksum: Number(checksum) }
}

function oldestIn({ values }: Record): number | undefined {
  const [oldest, checksum] = values
  if (typeof oldest !== 'number') return undefined
  if (values.length === 1) return oldest
  return values.length === 2 && checksum === historyChecksum(oldest) ? oldest : undefined
}

const isOfSchema = (page: number, { values }: Record): boolean => page === 1 && values.length === 5

/** Of the tables, as the first page names them. */
const rootsOf = (pages: Pages): number[] =>
  [...recordsOn(pages, 1)].flatMap((record) => {
    const root = record && isOfSchema(1, record) ? record.values[3] : undefined
    return typeof root === 'number' ? [root] : []
  })
