import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { lanyardProgram } from './program.ts'
import type { TestScope } from './test-scope.ts'
import { teardown } from './test-scope.ts'

export interface Running {
  child: ChildProcess
  /** Everything it printed, once it has ended. */
  ended: Promise<{ code: number | null; out: string; err: string }>
  /** Everything it printed so far. */
  printed(): string
  /** Rejects when it ends without having said so. */
  says(words: string): Promise<void>
}

const patienceMs = 45_000

/** The product with these arguments, in a process of its own that ends with the test. */
export function lanyard(t: TestScope, args: readonly string[], env: Readonly<Record<string, string>> = {}): Running {
  const child = spawn(process.execPath, [lanyardProgram, ...args], {
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
  const ended = once(child, 'close').then(([code]) => ({ code, out, err }))
  return {
    child,
    ended,
    printed: () => out + err,
    says: (words) =>
      new Promise((resolve, reject) => {
        const end = (settle: () => void) => {
          clearTimeout(timer)
          child.stdout.off('data', look)
          settle()
        }
        const look = () => out.includes(words) && end(resolve)
        const fail = () => end(() => reject(new Error(`it did not say "${words}"; it said: ${out}${err}`)))
        const timer = setTimeout(fail, patienceMs)
        child.stdout.on('data', look)
        if (!look()) ended.then(fail, fail)
      }),
  }
}
