/** Builds what is missing, one program after the other, into the cache folder. */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Env } from './cache.ts'
import { goPlatform } from './cache.ts'
import { askGoVersion, neededGo, whyNotGo } from './go.ts'
import type { Assets } from './locate.ts'
import { assetsDir, findAssets, locate, modulesDir, readModuleFiles } from './locate.ts'
import type { Progress } from './progress.ts'
import { describeBuild, progressOn } from './progress.ts'
import type { AssetName } from './versions.ts'
import { assetNames, linkerFlags, pins } from './versions.ts'

/** Something the person who runs this can put right: its message is all they need. */
export class CannotBuild extends Error {}

export interface Wishes {
  /** Default is `process.env`. */
  env?: Env
  /** Default is all. */
  names?: readonly AssetName[]
  /** Default is plain lines on stderr. */
  progress?: Progress
  /** Stops the build and leaves nothing half-made. */
  signal?: AbortSignal
}

/**
 * The wanted programs, built where missing. Safe to call several times at once, from any process: each builds in a folder of
 * its own and renames, so the worst is the same work done twice.
 */
export async function ensureAssets(wishes: Wishes = {}): Promise<Assets> {
  const { env = process.env, names = assetNames, progress = progressOn(process.stderr), signal } = wishes
  const found = locate(env)
  for (const name of names) {
    const path = found.get(name)
    if (path !== undefined) progress.say(`${name}: have ${path}`)
  }
  const missing = names.filter((name) => !found.has(name))
  if (missing.length > 0) await buildAll(missing, env, progress, signal)

  const assets = findAssets(env, names)
  if (assets === undefined) throw new Error(`built ${missing.join(', ')}, yet not found in ${assetsDir(env)}`)
  return assets
}

const label = (name: AssetName): string => `${name} ${pins[name].version}`

async function buildAll(names: readonly AssetName[], env: Env, progress: Progress, signal?: AbortSignal) {
  const moduleFiles = readModuleFiles()
  const goMods = names.map((name) => moduleFiles[join(pins[name].module, 'go.mod')] ?? '')
  const obstacle = whyNotGo(await askGoVersion(env), neededGo(goMods))
  if (obstacle !== undefined) throw new CannotBuild(obstacle)

  const dir = assetsDir(env)
  sweepWorkDirs(dir)
  const workDir = mkdtempSync(join(dir, `${workPrefix}${process.pid}-`))
  try {
    for (const name of names) {
      const startedAt = performance.now()
      using _ = progress.during(`${label(name)}: building`)
      await build(name, workDir, env, signal)
      const { size } = statSync(join(workDir, name))
      renameSync(join(workDir, name), join(dir, name))
      progress.say(`${label(name)}: ${describeBuild(performance.now() - startedAt, size)}`)
    }
  } finally {
    rmSync(workDir, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** In the cache folder itself, since a rename is atomic only within one file system. */
const workPrefix = 'building-'

/** Removes what killed builds left. */
function sweepWorkDirs(dir: string) {
  mkdirSync(dir, { recursive: true })
  for (const entry of readdirSync(dir)) {
    if (entry.startsWith(workPrefix) && !isAlive(Number.parseInt(entry.slice(workPrefix.length), 10)))
      rmSync(join(dir, entry), { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

async function build(name: AssetName, workDir: string, env: Env, signal?: AbortSignal): Promise<void> {
  const pin = pins[name]
  const { os, arch } = goPlatform(process.platform, process.arch)
  const args = ['build', '-trimpath', '-ldflags', linkerFlags(pin), '-o', join(workDir, name), pin.package]
  await run('go', args, {
    cwd: join(modulesDir, pin.module),
    env: {
      ...env,
      CGO_ENABLED: '0',
      GOOS: os,
      GOARCH: arch,
      GOFLAGS: '-mod=readonly',
      GOTOOLCHAIN: 'local',
      GOWORK: 'off',
      GOTMPDIR: workDir,
    },
    ...(signal && { signal }),
  })
}

interface RunOptions {
  cwd: string
  env: Env
  signal?: AbortSignal
}

/** How much of a failed command's words is shown: Go puts the cause at the end. */
const shownLines = 30

function run(command: string, args: readonly string[], { cwd, env, signal }: RunOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    // A process group of its own: `go` does not pass a signal on to the compilers it started.
    const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    const said: Buffer[] = []
    child.stdout.on('data', (chunk) => said.push(chunk))
    child.stderr.on('data', (chunk) => said.push(chunk))
    const stop = () => child.exitCode === null && child.pid !== undefined && process.kill(-child.pid, 'SIGTERM')
    signal?.addEventListener('abort', stop, { once: true })
    child.on('error', reject)
    child.on('close', (code, killedBy) => {
      signal?.removeEventListener('abort', stop)
      if (code === 0) return resolve()
      if (signal?.aborted) return reject(signal.reason)
      const words = Buffer.concat(said).toString().trimEnd().split('\n').slice(-shownLines).join('\n')
      reject(
        new CannotBuild(`${command} ${args[0]} ${args.at(-1)} ended with ${killedBy ?? `code ${code}`}:\n${words}`),
      )
    })
  })
}
