/** SQLite's write-ahead log, as https://www.sqlite.org/walformat.html has it. */

const [headerBytes, frameHeaderBytes] = [32, 24]
const magic = 0x377f0682

export interface ReadLog {
  /** The pages of the transactions in it, by their number: what SQLite reads in place of those of the main file. */
  pages: ReadonlyMap<number, Buffer>
  /** Why transactions in it are lost to SQLite; undefined where it reads all that were committed. */
  damage: string | undefined
}

const nothing: ReadLog = { pages: new Map(), damage: undefined }

/**
 * SQLite ends reading at the first frame that does not fit, and takes that for the place where a crash cut it off. It
 * is one only where nothing but the last transaction comes after it: we sync each before the next. A second one there
 * means that something in the middle was lost, and with it all that comes later, acknowledged as it was.
 */
export function readLog(log: Buffer, pageBytes: number): ReadLog {
  const frameBytes = frameHeaderBytes + pageBytes
  const count = Math.max(0, Math.floor((log.length - headerBytes) / frameBytes))
  const start = headerOf(log)
  if (!start) return count > 1 ? { ...nothing, damage: 'its log begins with nothing that makes sense' } : nothing
  const pages = new Map<number, Buffer>()
  let pending: [number, Buffer][] = []
  let sums = start.sums
  for (let index = 0; index < count; index++) {
    const frame = log.subarray(headerBytes + index * frameBytes, headerBytes + (index + 1) * frameBytes)
    const next = frameSums(frame, sums, start.isBigEndian)
    const fits = isOfLog(frame, start.salt) && frame.readUInt32BE(16) === next[0] && frame.readUInt32BE(20) === next[1]
    if (!fits) return { pages, damage: lostAfter(log, index, frameBytes, start.salt) }
    sums = next
    pending.push([frame.readUInt32BE(0), frame.subarray(frameHeaderBytes)])
    if (!isCommit(frame)) continue
    for (const [number, page] of pending) pages.set(number, page)
    pending = []
  }
  return { pages, damage: undefined }
}

type Sums = readonly [number, number]

function headerOf(log: Buffer): { sums: Sums; salt: Buffer; isBigEndian: boolean } | undefined {
  if (log.length < headerBytes) return undefined
  const found = log.readUInt32BE(0)
  if ((found & ~1) >>> 0 !== magic) return undefined
  const isBigEndian = (found & 1) === 1
  const sums = checksum(log.subarray(0, 24), [0, 0], isBigEndian)
  if (log.readUInt32BE(24) !== sums[0] || log.readUInt32BE(28) !== sums[1]) return undefined
  return { sums, salt: log.subarray(16, 24), isBigEndian }
}

const isOfLog = (frame: Buffer, salt: Buffer): boolean => frame.subarray(8, 16).equals(salt)

const isCommit = (frame: Buffer): boolean => frame.readUInt32BE(4) !== 0

const frameSums = (frame: Buffer, sums: Sums, isBigEndian: boolean): Sums =>
  checksum(frame.subarray(frameHeaderBytes), checksum(frame.subarray(0, 8), sums, isBigEndian), isBigEndian)

function checksum(bytes: Buffer, [first, second]: Sums, isBigEndian: boolean): Sums {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  let [a, b] = [first, second]
  for (let at = 0; at + 8 <= bytes.length; at += 8) {
    a = (a + view.getUint32(at, !isBigEndian) + b) >>> 0
    b = (b + view.getUint32(at + 4, !isBigEndian) + a) >>> 0
  }
  return [a, b]
}

function lostAfter(log: Buffer, from: number, frameBytes: number, salt: Buffer): string | undefined {
  let commits = 0
  for (let at = headerBytes + from * frameBytes; at + frameBytes <= log.length; at += frameBytes) {
    const frame = log.subarray(at, at + frameBytes)
    if (isOfLog(frame, salt) && isCommit(frame)) commits++
  }
  return commits > 1 ? `its log is damaged, and ${commits} transactions after that are lost` : undefined
}
