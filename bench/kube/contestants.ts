import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { bundling } from '../../tools/build.ts'
import type { TaskName, Tasks } from './tasks.ts'

const root = resolve(import.meta.dirname, '../..')
const oursDir = join(import.meta.dirname, 'ours')
const peerDir = join(import.meta.dirname, 'peer')
const execute = promisify(execFile)

const programs: readonly TaskName[] = ['import', 'list', 'watch', 'informer', 'update', 'agent']

/** No measurement takes this long; one that hangs fails. */
const longestMs = 180_000

/** One side of the comparison. */
export interface Contestant {
  readonly name: string
  readonly version: string
  /** In a process of its own. */
  run<N extends TaskName>(name: N, task: Tasks[N]['task']): Promise<Tasks[N]['answer']>
}

export interface Contestants {
  ours: Contestant
  theirs: Contestant
}

export async function prepareContestants(say: (line: string) => void): Promise<Contestants> {
  const theirVersion = readJson(join(peerDir, 'package.json')).dependencies['@kubernetes/client-node']
  await installPeer(theirVersion, say)
  const ours = await bundle(oursDir, join(root, 'node_modules/.cache/bench-kube'))
  const theirs = await bundle(peerDir, join(peerDir, 'node_modules/.cache/bench-kube'))
  return {
    ours: contestant('lanyard', readJson(join(root, 'package.json')).version, ours),
    theirs: contestant('client-node', theirVersion, theirs),
  }
}

/** 83 MB that nothing else needs, so it is no dependency of the project: it is fetched when it is first compared with. */
async function installPeer(version: string, say: (line: string) => void): Promise<void> {
  const manifest = join(peerDir, 'node_modules/@kubernetes/client-node/package.json')
  if (existsSync(manifest) && readJson(manifest).version === version) return
  say(`installing @kubernetes/client-node ${version}`)
  // npm tells its scripts which project it runs for, and would install there.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)))
  await execute('npm', ['ci', '--ignore-scripts'], { cwd: peerDir, env })
}

/** As tools/build.ts makes dist/: libraries included, in pieces where they are imported dynamically. */
async function bundle(from: string, outdir: string): Promise<string> {
  await rm(outdir, { recursive: true, force: true })
  const entryPoints = programs.map((name) => join(from, `${name}.ts`))
  await build({ ...bundling, entryPoints, outdir, outExtension: { '.js': '.mjs' } })
  return outdir
}

const contestant = (name: string, version: string, folder: string): Contestant => ({
  name,
  version,
  async run(program, task) {
    const { stdout } = await execute(process.execPath, [join(folder, `${program}.mjs`), JSON.stringify(task)], {
      // What npm and the shell set for this process is not for the measured one.
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'] },
      maxBuffer: 2 ** 24,
      timeout: longestMs,
    })
    return JSON.parse(stdout)
  },
})

const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'))
