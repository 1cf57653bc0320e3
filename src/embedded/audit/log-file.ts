import type { FileHandle } from 'node:fs/promises'
import { open } from 'node:fs/promises'
import type { Log } from '../../core/log.ts'
import { failures } from './failures.ts'

/** What may wait for the disk, in characters. What comes on top of it is lost: requests do not wait for their log. */
const mostWaiting = 32 * 1024 * 1024

/** Of a file, what is needed to write to its end. */
export type Appendable = Pick<FileHandle, 'appendFile' | 'stat' | 'read' | 'close'>

/** Lines that go to the end of a file, in order and in the background. */
export class LogFile {
  readonly #file: Appendable
  readonly #path: string
  readonly #log: Log
  #waiting: string[] = []
  #waitingLength = 0
  #lost = 0
  #isFailing = false
  #mayBeTorn = true
  #writing: Promise<void> | undefined

  constructor(file: Appendable, path: string, log: Log) {
    this.#file = file
    this.#path = path
    this.#log = log
  }

  write(line: string): void {
    if (this.#waitingLength + line.length > mostWaiting) {
      this.#lose(1)
      return
    }
    this.#waiting.push(line)
    this.#waitingLength += line.length
    this.#writing ??= this.#writeAll()
  }

  /** Resolves when everything is written that will be. */
  async close(): Promise<void> {
    await this.#writing
    await this.#file.close()
  }

  async #writeAll(): Promise<void> {
    // What else is written in this turn goes along.
    await undefined
    while (this.#waiting.length > 0) {
      const lines = this.#waiting
      this.#waiting = []
      this.#waitingLength = 0
      await this.#append(lines)
    }
    this.#writing = undefined
  }

  async #append(lines: readonly string[]): Promise<void> {
    try {
      const text = lines.join('')
      await this.#file.appendFile(this.#mayBeTorn && (await this.#endsTorn()) ? `\n${text}` : text)
      this.#mayBeTorn = false
      if (this.#isFailing) this.#log.warn({ path: this.#path, lost: this.#lost }, 'the audit log is written again')
      this.#isFailing = false
      this.#lost = 0
    } catch (error) {
      this.#mayBeTorn = true
      this.#lose(lines.length, error)
    }
  }

  /** Says it once, and how much it was when it goes on. */
  #lose(count: number, error?: unknown): void {
    this.#lost += count
    if (this.#isFailing) return
    this.#isFailing = true
    this.#log.error({ err: error, path: this.#path }, 'the audit log cannot be written, events are lost')
  }

  /** Whoever wrote last, a process that was killed or a full disk, may have stopped in the middle of a line. */
  async #endsTorn(): Promise<boolean> {
    const { size } = await this.#file.stat()
    if (size === 0) return false
    const { buffer } = await this.#file.read({ buffer: Buffer.alloc(1), position: size - 1 })
    return buffer[0] !== 0x0a
  }
}

/** For nobody else to read, if it is not there yet. */
export async function openLogFile(path: string, log: Log): Promise<LogFile> {
  try {
    return new LogFile(await open(path, 'a+', 0o600), path, log)
  } catch (error) {
    throw failures.AUDIT_LOG_UNUSABLE({ path, detail: (error as Error).message }, error)
  }
}
