import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { bundle, run } from '../shared/programs.ts'
import type { TaskName, Tasks } from './tasks.ts'

const root = resolve(import.meta.dirname, '../..')
const oursDir = join(import.meta.dirname, 'ours')
const peerDir = join(import.meta.dirname, 'peer')
const execute = promisify(execFile)

const programs: readonly TaskName[] = ['import', 'list', 'watch', 'informer', 'update', 'agent']

const programsIn = (folder: string) => programs.map((name) => join(folder, `${name}.ts`))

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
  const ours = join(root, 'node_modules/.cache/bench-kube')
  const theirs = join(peerDir, 'node_modules/.cache/bench-kube')
  await bundle(programsIn(oursDir), ours)
  await bundle(programsIn(peerDir), theirs)
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

const contestant = (name: string, version: string, folder: string): Contestant => ({
  name,
  version,
  run: (program, task) => run(folder, program, task),
})

const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'))
