import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { bundling } from '../../tools/build.ts'

const execute = promisify(execFile)

/** No measurement takes this long; one that hangs fails. */
const longestMs = 180_000

/** As tools/build.ts makes dist/: libraries included, in pieces where they are imported dynamically. */
export async function bundle(entryPoints: string[], outdir: string): Promise<void> {
  await rm(outdir, { recursive: true, force: true })
  await build({ ...bundling, entryPoints, outdir, outExtension: { '.js': '.mjs' } })
}

/** A bundled program in a process of its own: one JSON argument, one JSON line. */
export async function run<A>(folder: string, name: string, task: object, timeout = longestMs): Promise<A> {
  const { stdout } = await execute(process.execPath, [join(folder, `${name}.mjs`), JSON.stringify(task)], {
    // What npm and the shell set for this process is not for the measured one.
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'] },
    maxBuffer: 2 ** 24,
    timeout,
  })
  return JSON.parse(stdout)
}
