import { stat } from 'node:fs/promises'

/** Changes when one of the files does, by what a look at each tells: a mounted Secret is swapped behind a link. */
export async function fileVersion(files: readonly string[]): Promise<string> {
  const looks = await Promise.all(
    files.map(async (file) => {
      const { ino, size, mtimeMs, ctimeMs } = await stat(file)
      return `${ino}/${size}/${mtimeMs}/${ctimeMs}`
    }),
  )
  return looks.join(',')
}
