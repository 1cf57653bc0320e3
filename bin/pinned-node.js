// The Node that Lanyard is pinned to, whatever Node the machine has. Plain JavaScript for Node 20 and newer.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const neededMajor = 24

/** Of the checkout, or of the installed package. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)))
export const isCheckout = existsSync(join(root, 'src/cli/main.ts'))

/** Its package, one a platform: without an install script, and in the lockfile with the hash of what it holds. */
const nodePackage = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`

export const isNewEnough = Number(process.versions.node.split('.')[0]) >= neededMajor

/** Not by `node_modules/.bin/node`: npm 10 removes that link together with the packages of other platforms. */
export function pinnedNode() {
  try {
    const folder = dirname(createRequire(import.meta.url).resolve(`${nodePackage}/package.json`))
    const program = join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
    return existsSync(program) ? program : undefined
  } catch {
    return undefined
  }
}

/** Runs a file with it, which finds it first on its PATH as well, and ends as that ends. */
export function runOn(program, args) {
  // The channel tells the child when this process is gone, even one that is killed: it must not stay behind.
  const stdio = ['inherit', 'inherit', 'inherit', 'ipc']
  const PATH = `${dirname(program)}${delimiter}${process.env.PATH ?? ''}`
  const child = spawn(program, args, { stdio, env: { ...process.env, PATH } })
  // A terminal signals the child as well, a service manager only us. The child takes two in quick succession for one.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => {
    console.error(
      `lanyard cannot start the Node that it brings (${program}: ${error.message}).\n` +
        `If this system cannot run it, install Node ${neededMajor} or newer and leave ours out:\n  npm ci --omit=optional`,
    )
    process.exitCode = 1
  })
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + (signal ? constants.signals[signal] : 1)
  })
}

/** For a machine whose own Node is too old where the package is missing: why, and the next command. */
export function refuse() {
  console.error(`lanyard needs Node ${neededMajor} or newer, and this is ${process.version}.\n${nextCommand()}`)
  process.exitCode = 1
}

function nextCommand() {
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  if (optionalDependencies[nodePackage] === undefined)
    return (
      `Lanyard brings none for ${process.platform} on ${process.arch}. Install Node ${neededMajor} from https://nodejs.org ` +
      `or with a version manager, then repeat the command:\n  nvm install ${neededMajor}`
    )
  // Never by the name of a package: that would be fetched from a registry, whoever owns the name there.
  const install = `npm ${isCheckout ? 'ci' : 'install'} --include=optional`
  return `The one that it brings, the package ${nodePackage}, was left out of the installation. Run:\n  ${install}`
}
