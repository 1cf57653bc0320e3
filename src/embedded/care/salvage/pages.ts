import { existsSync, readFileSync } from 'node:fs'
import { readLog } from '../../storage/write-ahead-log.ts'

/** Those of every database that we made. */
export const pageBytes = 4_096

/** The pages of a database as its file and its log have them, whether they make sense or not. */
export interface Pages {
  readonly count: number
  /** Numbered from 1. */
  at(number: number): Buffer | undefined
}

export function readPages(path: string): Pages {
  const file = bytesOf(path)
  const { pages } = readLog(bytesOf(`${path}-wal`), pageBytes)
  const inFile = Math.ceil(file.length / pageBytes)
  return {
    count: [...pages.keys()].reduce((most, number) => Math.max(most, number), inFile),
    at(number) {
      const page = pages.get(number) ?? file.subarray((number - 1) * pageBytes, number * pageBytes)
      // The end of a file that was cut off.
      return page.length === pageBytes ? page : undefined
    },
  }
}

/** Either may be gone, and the other still hold something. */
const bytesOf = (path: string): Buffer => (existsSync(path) ? readFileSync(path) : Buffer.alloc(0))

/** Pages that hold nothing any more, though their bytes may say otherwise; undefined where the list of them is damaged. */
export function freePages(pages: Pages): ReadonlySet<number> | undefined {
  const first = pages.at(1)
  if (!first) return undefined
  const free = new Set<number>()
  const expected = first.readUInt32BE(36)
  let trunk = first.readUInt32BE(32)
  while (trunk !== 0) {
    const page = pages.at(trunk)
    if (!page || free.has(trunk) || free.size > expected) return undefined
    free.add(trunk)
    const leaves = page.readUInt32BE(4)
    if (leaves > pageBytes / 4 - 2) return undefined
    for (let index = 0; index < leaves; index++) free.add(page.readUInt32BE(8 + index * 4))
    trunk = page.readUInt32BE(0)
  }
  return free.size === expected ? free : undefined
}
