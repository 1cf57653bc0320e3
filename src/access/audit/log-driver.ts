import type { Driver } from './driver.ts'
import { LogFile } from './log-file.ts'

export interface LogDriverDeps {
  /** Asked before each write. Undefined: standard output. */
  path(): string | undefined
  stdout: Pick<NodeJS.WritableStream, 'write'>
}

/** JSON lines. */
export function logDriver({ path, stdout }: LogDriverDeps): Driver {
  let file: LogFile | undefined
  const fileAt = async (wanted: string): Promise<LogFile> => {
    if (file?.path === wanted) return file
    await file?.close()
    file = new LogFile(wanted)
    return file
  }
  return {
    batchSize: 500,
    async write(records) {
      const text = `${records.map((record) => JSON.stringify(record)).join('\n')}\n`
      const wanted = path()
      if (wanted !== undefined) await (await fileAt(wanted)).append(text)
      else await print(stdout, text)
    },
    close: async () => file?.close(),
  }
}

const print = (stdout: LogDriverDeps['stdout'], text: string): Promise<void> =>
  new Promise((resolve, reject) => stdout.write(text, (error) => (error ? reject(error) : resolve())))
