import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { CheckpointName } from '../../src/core/checkpoint.ts'
import { lanyardProgram } from '../support/program.ts'
import type { TestScope } from '../support/test-scope.ts'
import { teardown } from '../support/test-scope.ts'

const tailBytes = 20_000

/** A `lanyard` process that kills itself at one checkpoint after the other, and is started again each time. */
export interface Supervised {
  readonly name: string
  /** To be killed at each of these in turn, and to stay from then on. */
  start(killAt: readonly CheckpointName[]): void
  /** Kills it wherever it is just now. */
  stop(): Promise<void>
  /** The same, and starts it again. */
  kill(): Promise<void>
  /** Lets it end by itself: only then does it leave what it has compiled to those that come after it. */
  end(): Promise<void>
  /** Where it has been killed so far. */
  readonly killedAt: readonly CheckpointName[]
  /** Where it will be killed yet. */
  readonly ahead: readonly CheckpointName[]
  /** Throws when it has ended in any other way than it was told to. */
  check(): void
  /** The last of what it printed. */
  tail(): string
}

export function supervise(
  t: TestScope,
  name: string,
  args: readonly string[],
  ownEnv: Readonly<Record<string, string>> = {},
): Supervised {
  let ahead: CheckpointName[] = []
  const killedAt: CheckpointName[] = []
  let running: ChildProcess | undefined
  let trouble: string | undefined
  let printed = ''

  function launch(): void {
    const [next] = ahead
    const env = { ...process.env, ...ownEnv, ...(next && { LANYARD_KILL_AT: next }) }
    const child = spawn(process.execPath, [lanyardProgram, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env })
    running = child
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        printed = `${printed}${chunk}`.slice(-tailBytes)
      })
    child.on('exit', (code, signal) => {
      if (running !== child) return
      running = undefined
      if (signal !== 'SIGKILL' || !next) {
        trouble = `${name} ended by itself, with ${signal ?? `code ${code}`}`
        return
      }
      printed += `--- killed at ${next}\n`
      killedAt.push(next)
      ahead = ahead.slice(1)
      launch()
    })
  }

  async function stopBy(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = running
    running = undefined
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }
  const stop = () => stopBy('SIGKILL')
  teardown(t, stop)

  return {
    name,
    start(killAt) {
      ahead = [...killAt]
      launch()
    },
    stop,
    async kill() {
      await stop()
      launch()
    },
    end: () => stopBy('SIGTERM'),
    killedAt,
    get ahead() {
      return ahead
    },
    check() {
      if (trouble !== undefined) throw new Error(trouble)
    },
    tail: () => printed,
  }
}
