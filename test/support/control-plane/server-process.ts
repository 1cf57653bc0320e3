import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { Program } from './contract.ts'
import type { Paths } from './paths.ts'

/** A program of a control plane that was started, and may have ended. */
export interface ServerProcess {
  readonly program: Program
  readonly pid: number
  /** How it ended; undefined while it runs. */
  readonly ending: string | undefined
  /** How it ended though nobody had ended it, with the end of its log; undefined otherwise. */
  readonly fault: string | undefined
  /** Sends a signal and waits until the process is gone, at most `graceMs`; then it is killed. */
  end(signal: NodeJS.Signals, graceMs?: number): Promise<void>
}

/** Milliseconds that a program may take to end in an orderly way; kube-apiserver takes one second. */
const defaultGraceMs = 5_000

/** It does not keep this process alive: what is forgotten when a test process ends is for the guard to clear away. */
export async function spawnServer(
  program: Program,
  path: string,
  args: string[],
  paths: Paths,
): Promise<ServerProcess> {
  const log = openSync(paths.log(program), 'a')
  // A process group of its own: an interrupt at the terminal is for the tests, which then end it in an orderly way.
  const child = spawn(path, args, { cwd: paths.dir, detached: true, stdio: ['ignore', log, log] })
  closeSync(log)
  let ending: string | undefined
  let wasAsked = false
  let fault: string | undefined
  const ended = new Promise<void>((resolve) => {
    child.once('exit', (code, signal) => {
      ending = signal === null ? `exit code ${code}` : signal
      if (!wasAsked) fault = `${program} ended by itself (${ending}); ${endOfLog(paths, program)}`
      rmSync(paths.pid(program), { force: true })
      resolve()
    })
  })
  await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject))
  const pid = child.pid as number
  writeFileSync(paths.pid(program), String(pid))
  child.unref()
  return {
    program,
    pid,
    get ending() {
      return ending
    },
    get fault() {
      return fault
    },
    async end(signal, graceMs = defaultGraceMs) {
      wasAsked = true
      child.ref()
      child.kill(signal)
      const timer = setTimeout(() => child.kill('SIGKILL'), graceMs)
      await ended
      clearTimeout(timer)
    },
  }
}

const endOf = (log: string): string => `the end of its log:\n${log.trimEnd().split('\n').slice(-20).join('\n')}`

function endOfLog(paths: Paths, program: Program): string {
  try {
    return endOf(readFileSync(paths.log(program), 'utf8'))
  } catch {
    return 'its log is gone'
  }
}

export class StartFailure extends Error {
  /** Somebody else took the port between our choice and the program's start. */
  readonly portTaken: boolean

  constructor(what: string, log: string) {
    super(`${what}; ${endOf(log)}`)
    this.name = 'StartFailure'
    this.portTaken = log.includes('address already in use')
  }
}

const readyWithinMs = 60_000
const askEveryMs = 25

export async function untilReady(server: ServerProcess, isReady: () => Promise<boolean>, paths: Paths): Promise<void> {
  const startedAt = performance.now()
  const fail = (what: string) =>
    new StartFailure(`${server.program} ${what}`, readFileSync(paths.log(server.program), 'utf8'))
  while (!(await isReady())) {
    if (server.ending !== undefined) throw fail(`ended before it was ready (${server.ending})`)
    if (performance.now() - startedAt > readyWithinMs) throw fail(`was not ready within ${readyWithinMs} ms`)
    await delay(askEveryMs)
  }
}
