import type { Pages } from './pages.ts'
import { pageBytes } from './pages.ts'

/** SQLite's records, as https://www.sqlite.org/fileformat2.html has them. */
export type Value = number | string | null | Buffer

export interface Record {
  readonly rowid: number
  readonly values: readonly Value[]
}

const [leafType, interiorType] = [0x0d, 0x05]
const maxInlineBytes = pageBytes - 35
const minInlineBytes = Math.trunc(((pageBytes - 12) * 32) / 255) - 23

/** Where the header of a b-tree begins on a page: the first one has that of the file before it. */
const headerAt = (number: number): number => (number === 1 ? 100 : 0)

/** The rows on a page, if it is a leaf of a table. Undefined in their midst stands for one that cannot be read. */
export function* recordsOn(pages: Pages, number: number): Generator<Record | undefined> {
  const page = pages.at(number)
  const at = headerAt(number)
  if (page?.[at] !== leafType) return
  const count = page.readUInt16BE(at + 3)
  for (let index = 0; index < count; index++) {
    const pointer = at + 8 + index * 2
    if (pointer + 2 > pageBytes) return
    yield guarded(() => recordAt(pages, page, page.readUInt16BE(pointer)))
  }
}

/** Whether a page is part of a table at all. */
export const isOfTable = (pages: Pages, number: number): boolean =>
  [leafType, interiorType].includes(pages.at(number)?.[headerAt(number)] ?? 0)

/** The pages of a table, as far as they can be found from its root. */
export function reachableFrom(pages: Pages, root: number): Set<number> {
  const found = new Set<number>()
  const waiting = [root]
  for (let number = waiting.pop(); number !== undefined; number = waiting.pop()) {
    if (found.has(number) || number < 1) continue
    found.add(number)
    const page = pages.at(number)
    const at = headerAt(number)
    if (page?.[at] !== interiorType) continue
    waiting.push(page.readUInt32BE(at + 8))
    const count = page.readUInt16BE(at + 3)
    for (let pointer = at + 12; pointer < at + 12 + count * 2 && pointer + 2 <= pageBytes; pointer += 2) {
      const cell = page.readUInt16BE(pointer)
      if (cell + 4 <= pageBytes) waiting.push(page.readUInt32BE(cell))
    }
  }
  return found
}

/** Bytes that make no sense lead anywhere: out of a buffer, or round in circles. */
function guarded<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

function recordAt(pages: Pages, page: Buffer, cell: number): Record {
  const [size, afterSize] = varintAt(page, cell)
  const [rowid, afterRowid] = varintAt(page, afterSize)
  return { rowid, values: valuesOf(payloadAt(pages, page, afterRowid, size)) }
}

function payloadAt(pages: Pages, page: Buffer, at: number, size: number): Buffer {
  if (size <= maxInlineBytes) return exactly(page.subarray(at, at + size), size)
  if (size > pages.count * pageBytes) throw new RangeError('longer than the file')
  const wanted = minInlineBytes + ((size - minInlineBytes) % (pageBytes - 4))
  const inline = wanted <= maxInlineBytes ? wanted : minInlineBytes
  const parts = [exactly(page.subarray(at, at + inline), inline)]
  let [left, next] = [size - inline, page.readUInt32BE(at + inline)]
  while (left > 0) {
    const more = pages.at(next)
    if (!more) throw new RangeError('a page is missing')
    const part = more.subarray(4, 4 + Math.min(left, pageBytes - 4))
    parts.push(part)
    left -= part.length
    next = more.readUInt32BE(0)
  }
  return Buffer.concat(parts)
}

function valuesOf(payload: Buffer): Value[] {
  const [headerEnd, afterLength] = varintAt(payload, 0)
  const values: Value[] = []
  let body = headerEnd
  for (let at = afterLength; at < headerEnd; ) {
    const [type, after] = varintAt(payload, at)
    const length = lengthOf(type)
    values.push(valueFrom(type, exactly(payload.subarray(body, body + length), length)))
    body += length
    at = after
  }
  return values
}

const lengths = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0]

const lengthOf = (type: number): number => (type < 12 ? (lengths[type] ?? 0) : Math.floor((type - 12) / 2))

function valueFrom(type: number, bytes: Buffer): Value {
  if (type === 0) return null
  if (type === 8 || type === 9) return type - 8
  if (type === 6) return Number(bytes.readBigInt64BE())
  if (type < 6) return bytes.readIntBE(0, bytes.length)
  if (type === 7) return bytes.readDoubleBE()
  return type % 2 === 1 ? bytes.toString() : bytes
}

function varintAt(bytes: Buffer, at: number): [value: number, next: number] {
  let value = 0n
  for (let index = 0; index < 9; index++) {
    const byte = bytes[at + index]
    if (byte === undefined) throw new RangeError('cut off')
    if (index === 8) return [Number(BigInt.asIntN(64, (value << 8n) | BigInt(byte))), at + 9]
    value = (value << 7n) | BigInt(byte & 0x7f)
    if (byte < 0x80) return [Number(value), at + index + 1]
  }
  throw new RangeError('too long')
}

function exactly(bytes: Buffer, length: number): Buffer {
  if (bytes.length !== length) throw new RangeError('cut off')
  return bytes
}
