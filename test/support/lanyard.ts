import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { eventually } from './eventually.ts'
import type { TestScope } from './test-scope.ts'
import { teardown } from './test-scope.ts'

const launcher = resolve(import.meta.dirname, '../../bin/lanyard.js')

export interface Running {
  child: ChildProcess
  /** Everything it printed, once it has ended. */
  ended: Promise<{ code: number | null; out: string; err: string }>
  says(words: string): Promise<unknown>
}

/** The product as a person starts it: through the launcher, in a process of its own that ends with the test. */
export function lanyard(t: TestScope, args: readonly string[], env: Readonly<Record<string, string>> = {}): Running {
  const child = spawn(process.execPath, [launcher, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
  teardown(t, () => void child.kill('SIGKILL'))
  let out = ''
  let err = ''
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    out += chunk
  })
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    err += chunk
  })
  return {
    child,
    ended: once(child, 'close').then(([code]) => ({ code, out, err })),
    says: (words) => eventually(`it says "${words}"`, () => out.includes(words), { withinMs: 45_000 }),
  }
}
