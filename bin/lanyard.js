#!/usr/bin/env node
// Runs Lanyard on the Node it is pinned to, whatever Node the machine has. Plain JavaScript for Node 20 and newer.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const neededMajor = 24
const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** The checkout runs its sources; an installed package runs the bundle, since Node strips no types under node_modules. */
const source = join(root, 'src/cli/main.ts')
const entry = existsSync(source) ? source : join(root, 'dist/lanyard.js')

function pinnedNode() {
  try {
    const folder = dirname(createRequire(import.meta.url).resolve('node/package.json'))
    const program = join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
    return existsSync(program) ? program : undefined
  } catch {
    return undefined
  }
}

const isNewEnough = Number(process.versions.node.split('.')[0]) >= neededMajor
const pinned = pinnedNode()

if (isNewEnough && (pinned === undefined || pinned === process.execPath)) {
  await import(entry)
} else if (pinned === undefined) {
  console.error(
    `lanyard needs Node ${neededMajor} or newer, and this is ${process.version}.\n` +
      'It brings its own, but that was not installed, probably because install scripts are off.\n' +
      'Run: npm rebuild node --ignore-scripts=false',
  )
  process.exitCode = 1
} else {
  // The channel tells the child when this process is gone, even one that is killed: it must not stay behind.
  const stdio = ['inherit', 'inherit', 'inherit', 'ipc']
  const child = spawn(pinned, [entry, ...process.argv.slice(2)], { stdio })
  // A terminal signals the child as well, a service manager only us. The child takes two in quick succession for one.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => {
    console.error(`cannot start ${pinned}: ${error.message}`)
    process.exitCode = 1
  })
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + (signal ? constants.signals[signal] : 1)
  })
}
