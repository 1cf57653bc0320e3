import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { isObject, rowName, whyDamaged } from '../storage/inspect-row.ts'
import type { Entry } from '../storage/store.ts'
import type { Snapshot } from './snapshot.ts'
import { keptFiles } from './snapshot.ts'

/** Of the lines below. A newer one is refused. */
export const backupFormat = 1

const head = 'lanyard-kube-backup'

/**
 * A backup as text, one thing a line: the head, the files, the objects, and how many there were. Each line begins with
 * its own checksum, so that a damaged file still gives what is readable; the last one has a checksum of all before it.
 */
export function* backupLines(snapshot: Snapshot): Generator<string> {
  const { takenAt, revision, files, objects } = snapshot
  const all = createHash('sha256')
  const line = (value: object): string => {
    const text = lineOf(value)
    all.update(text)
    return text
  }
  yield line({ [head]: backupFormat, takenAt, revision })
  for (const [file, content] of files) yield line({ file, content })
  for (const { storage, namespace, name, revision: own, writtenAt, text } of objects)
    yield line({ storage, namespace, name, revision: own, writtenAt, text })
  yield lineOf({ files: files.size, objects: objects.length, sha256: all.digest('hex') })
}

function lineOf(value: object): string {
  const json = JSON.stringify(value)
  return `${crc32(json).toString(16).padStart(8, '0')} ${json}\n`
}

export interface ReadBackup {
  snapshot: Snapshot
  /** Where it is not what was written, in words. */
  damage: { where: string; detail: string }[]
  /** Of the lines; undefined where the head is gone. */
  format: number | undefined
}

/** Of a file that is no backup, or hardly one, nobody reads more. */
const mostDamage = 1_000

/** Reads as much as there is. */
export async function readBackupLines(lines: AsyncIterable<string> | Iterable<string>): Promise<ReadBackup> {
  const reader = new BackupReader()
  for await (const line of lines) reader.take(line)
  return reader.end()
}

type Fields = Record<string, unknown>

class BackupReader {
  readonly #all = createHash('sha256')
  readonly #damage: { where: string; detail: string }[] = []
  readonly #files = new Map<string, string>()
  readonly #objects: Entry[] = []
  readonly #revisions = new Set<number>()
  readonly #names = new Set<string>()
  #head: Fields | undefined
  #tail: Fields | undefined
  #number = 0
  #highest = 0

  take(line: string): void {
    this.#number++
    const value = fieldsOf(line)
    if (this.#tail) this.#note('there is more after its end')
    else if (value && 'sha256' in value) this.#tail = value
    else {
      if (value) this.#place(value)
      else this.#note('its checksum does not fit')
      this.#all.update(`${line}\n`)
    }
  }

  end(): ReadBackup {
    const { takenAt, revision } = this.#head ?? {}
    if (!this.#head) this.#damage.unshift({ where: 'line 1', detail: 'it does not begin as a backup does' })
    this.#checkTail()
    return {
      snapshot: {
        takenAt: String(takenAt ?? ''),
        revision: Math.max(Number(revision ?? 0), this.#highest),
        files: this.#files,
        objects: this.#objects,
      },
      damage: this.#damage,
      format: this.#head && Number(this.#head[head]),
    }
  }

  #place(value: Fields): void {
    if (isHead(value)) this.#head ??= value
    else if (isKept(value['file']) && typeof value['content'] === 'string')
      this.#files.set(value['file'], value['content'])
    else if (typeof value['storage'] === 'string') this.#placeObject(value as unknown as Entry)
    else this.#note('it is no part of a backup')
  }

  #placeObject(entry: Entry): void {
    const why = isStorable(entry) ? (whyDamaged({ ...entry, deleted: 0 }) ?? this.#whyTwice(entry)) : 'it is no object'
    if (why) {
      this.#note(`${rowName(entry)}: ${why}`)
      return
    }
    if (this.#head && entry.revision > Number(this.#head['revision']))
      this.#note(`revision ${entry.revision} is above the counter`)
    this.#revisions.add(entry.revision)
    this.#names.add(rowName(entry))
    this.#highest = Math.max(this.#highest, entry.revision)
    this.#objects.push(entry)
  }

  #whyTwice(entry: Entry): string | undefined {
    if (this.#names.has(rowName(entry))) return 'it is there twice'
    return this.#revisions.has(entry.revision) ? `its revision ${entry.revision} is that of another` : undefined
  }

  #checkTail(): void {
    const tail = this.#tail
    if (!tail) {
      this.#damage.push({ where: 'its end', detail: 'it is missing: the file is cut off' })
      return
    }
    const isWhole =
      tail['sha256'] === this.#all.digest('hex') &&
      tail['files'] === this.#files.size &&
      tail['objects'] === this.#objects.length
    if (!isWhole && this.#damage.length === 0)
      this.#damage.push({ where: 'its end', detail: 'the checksum of the whole does not fit' })
  }

  #note(detail: string): void {
    if (this.#damage.length < mostDamage) this.#damage.push({ where: `line ${this.#number}`, detail })
  }
}

/** Leaves room for a restore to go on from it. */
const isRevision = (value: unknown): value is number => Number.isSafeInteger(Number(value) + 1e12) && isWhole(value)
const isWhole = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0

/** A whole line may still say anything: its checksum keeps damage out, not lies. */
const isHead = ({ [head]: found, revision, takenAt }: Fields): boolean =>
  isWhole(found) &&
  (Number(found) > backupFormat || (isRevision(revision) && !Number.isNaN(Date.parse(String(takenAt)))))

const isStorable = ({ storage, namespace, name, revision, writtenAt, text }: Entry): boolean =>
  [storage, namespace, name, text].every((part) => typeof part === 'string') &&
  isRevision(revision) &&
  revision > 0 &&
  isWhole(writtenAt)

/** No other: what a backup names is written, and must not get out of its folder. */
const isKept = (file: unknown): file is string => keptFiles.some((kept) => kept === file)

function fieldsOf(line: string): Fields | undefined {
  const json = line.slice(9)
  if (line.slice(0, 9) !== `${crc32(json).toString(16).padStart(8, '0')} `) return undefined
  try {
    const value: unknown = JSON.parse(json)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
