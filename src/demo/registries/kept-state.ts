import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** What a stand-in holds, in a file that this user alone can read. Without a file nothing is kept. */
export function keptState<T>(path: string | undefined): { read(): T | undefined; write(state: T): void } {
  if (path === undefined) return { read: () => undefined, write: () => {} }
  return {
    read() {
      try {
        return JSON.parse(readFileSync(path, 'utf8')) as T
      } catch {
        return undefined
      }
    },
    write(state) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      writeFileSync(`${path}.new`, JSON.stringify(state), { mode: 0o600 })
      renameSync(`${path}.new`, path)
    },
  }
}
