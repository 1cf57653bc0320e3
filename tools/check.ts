// Types, lint and generated files, side by side; what found something is shown in full.
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'

/** In one thread tsc takes half of the processor's time, and as long: the others have the other cores. */
const checks = {
  types: ['tsc', '--singleThreaded'],
  lint: ['biome', 'check', '--error-on-warnings', '.'],
  'generated files': ['node', 'tools/generate/main.ts', '--check'],
}

const found = await Promise.all(
  Object.entries(checks).map(async ([name, [program = '', ...args]]) => {
    // npm has put the programs of node_modules on the PATH; on Windows a shell is needed to find them there.
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], shell: process.platform === 'win32' })
    const ended = new Promise<number | null>((resolve, reject) => child.once('close', resolve).once('error', reject))
    const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
    if (code !== 0) process.stdout.write(`✖ ${name}\n${out}${err}\n`)
    else console.log(`✔ ${name}`)
    return code
  }),
)
process.exitCode = found.every((code) => code === 0) ? 0 : 1
