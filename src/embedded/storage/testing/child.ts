import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestScope } from '../../../../test/support/test-scope.ts'
import { teardown } from '../../../../test/support/test-scope.ts'

export interface Child {
  readonly pid: number | undefined
  /** The next line it prints; undefined once it has ended. */
  nextLine(): Promise<string | undefined>
  /** Ends its input, which it takes for the wish that it end. */
  end(): Promise<void>
  kill(): Promise<void>
}

/** Runs a script of this folder in a process of its own, which does not outlive the test. */
export function startChild(t: TestScope, script: string, ...parameters: string[]): Child {
  const child = spawn(process.execPath, [join(import.meta.dirname, script), ...parameters], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  teardown(t, () => endWith(child, ended, () => child.kill('SIGKILL')))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    pid: child.pid,
    nextLine: async () => (await lines.next()).value,
    end: () => endWith(child, ended, () => child.stdin.end()),
    kill: () => endWith(child, ended, () => child.kill('SIGKILL')),
  }
}

async function endWith(child: ChildProcess, ended: Promise<unknown>, how: () => void): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) how()
  // What is read of its output must not hold up its end.
  child.stdout?.resume()
  await ended
}
