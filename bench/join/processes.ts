import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createGuardedDir } from '../../test/support/control-plane/guard.ts'
import { cpuMsOf } from '../embedded/usage.ts'

/** A program in a process of its own, which ends with this one. */
export interface Running extends AsyncDisposable {
  readonly pid: number
  /** What it printed so far. */
  output(): string
}

const graceMs = 10_000

export function start(program: string, args: readonly string[]): Running {
  const dir = createGuardedDir()
  const child = spawn(program, args, {
    cwd: dir.path,
    // What npm and the shell set for this process is not for the measured one.
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'] },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const { pid } = child
  if (pid === undefined) throw new Error(`${program} cannot be started`)
  writeFileSync(join(dir.path, 'program.pid'), String(pid))
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
    })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  return {
    pid,
    output: () => output,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), graceMs)
      await ended
      clearTimeout(timer)
      dir.remove()
    },
  }
}

/** Waits until a probe says yes. A failure tells what the program printed last. */
export async function until(what: string, probe: () => boolean | Promise<boolean>, options: UntilOptions = {}) {
  const { withinMs = 60_000, everyMs = 20, by } = options
  const giveUpAt = performance.now() + withinMs
  while (!(await probe())) {
    if (performance.now() > giveUpAt)
      throw new Error(`${what}: not within ${withinMs / 1_000} s\n${by?.output().slice(-4_000) ?? ''}`)
    await sleep(everyMs)
  }
}

interface UntilOptions {
  withinMs?: number
  everyMs?: number
  by?: Pick<Running, 'output'>
}

/** Its certificate is one that it made itself, or that nobody here knows. */
export const isHealthy = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const options = { host: '127.0.0.1', port, path: '/healthz', agent: false, rejectUnauthorized: false }
    request(options, (answer) => answer.resume().once('close', () => resolve(answer.statusCode === 200)))
      .once('error', () => resolve(false))
      .end()
  })

/** Until the processes have done as good as nothing for a while: what they do otherwise is not to be measured. */
export async function untilCalm(pids: readonly number[], withinMs = 60_000): Promise<void> {
  const giveUpAt = performance.now() + withinMs
  for (let calm = 0; calm < 2 && performance.now() < giveUpAt; ) {
    const before = cpuMsOf(pids)
    await sleep(400)
    calm = cpuMsOf(pids) - before <= 20 * pids.length ? calm + 1 : 0
  }
}

/** Resident memory now, and the most it ever was. Linux only. */
export function residentBytes(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const kib = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1])
  return { now: kib('VmRSS') * 1_024, peak: kib('VmHWM') * 1_024 }
}
