import type { FileHandle } from 'node:fs/promises'
import { open, stat } from 'node:fs/promises'
import { failures } from './failures.ts'

/** A file that lines are added to, which others may move away: then it is made anew. */
export class LogFile {
  readonly path: string
  #file: FileHandle | undefined

  constructor(path: string) {
    this.path = path
  }

  /** Resolves when the lines are on the disk. After a failure the file is as it was, as far as that can be done. */
  async append(text: string): Promise<void> {
    try {
      const file = await this.#current()
      const { size } = await file.stat()
      try {
        await file.appendFile(text)
        await file.datasync()
      } catch (error) {
        await file.truncate(size).catch(() => {})
        throw error
      }
    } catch (error) {
      await this.close()
      const { code } = error as { code?: string }
      throw failures.AUDIT_FILE_UNWRITABLE({ path: this.path, detail: code ?? 'unknown' }, error)
    }
  }

  async close(): Promise<void> {
    const file = this.#file
    this.#file = undefined
    await file?.close().catch(() => {})
  }

  async #current(): Promise<FileHandle> {
    if (this.#file && (await this.#isWhereItWas(this.#file))) return this.#file
    await this.close()
    // Not for everybody: who asked for what is nobody's business but of those who look after it.
    this.#file = await open(this.path, 'a+', 0o600)
    await endLine(this.#file)
    return this.#file
  }

  async #isWhereItWas(file: FileHandle): Promise<boolean> {
    const there = await stat(this.path).catch(() => undefined)
    const own = await file.stat()
    return there?.ino === own.ino && there.dev === own.dev
  }
}

/** Whoever was killed here before may have left half a line: it must not swallow the next one. */
async function endLine(file: FileHandle): Promise<void> {
  const { size } = await file.stat()
  if (size === 0) return
  const { buffer } = await file.read({ buffer: Buffer.alloc(1), position: size - 1, length: 1 })
  if (buffer[0] !== 0x0a) await file.appendFile('\n')
}
