import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import type { Clock } from '../../core/clock.ts'
import { codeOf } from './files.ts'

export type Env = Readonly<Record<string, string | undefined>>

export interface Program {
  command: string
  args: readonly string[]
  env: Env
  deadlineMs: number
  /** The terminal is the program's while it runs: it reads from it, and what it says goes to `say` at once. */
  terminal?: Terminal
}

export interface Terminal {
  say(text: string): void
}

/** How a program ended, with what it printed until then. */
export type Run = End & { stdout: string; stderr: string }

type End =
  | { end: 'exited'; exit: string; succeeded: boolean }
  | { end: 'deadline' | 'too much output' }
  | { end: 'aborted' }
  | { end: 'not started'; code: string }

/** An ExecCredential has a few kilobytes. More of either stream is never kept. */
const mostBytes = 1024 * 1024

/** Runs a program, without a shell, to its end, its deadline or the signal's abort. Does not reject. */
export function runProgram(program: Program, clock: Clock, signal: AbortSignal): Promise<Run> {
  const interactive = program.terminal !== undefined
  return new Promise((resolve) => {
    const streams = { stdout: new Collected(), stderr: new Collected() }
    // A group of its own, so that stopping it ends what a wrapper script started as well. A program that reads from
    // the terminal has to stay in the terminal's group.
    const ownGroup = !interactive && process.platform !== 'win32'
    let child: ChildProcess
    const finish = (end: End) => {
      deadline[Symbol.dispose]()
      signal.removeEventListener('abort', onAbort)
      resolve({ ...end, stdout: streams.stdout.text(), stderr: streams.stderr.text() })
    }
    const stop = (end: 'deadline' | 'too much output' | 'aborted') => {
      finish({ end })
      kill(child, ownGroup)
    }
    const onAbort = () => stop('aborted')
    const deadline = clock.countdown(program.deadlineMs, () => stop('deadline'))
    if (signal.aborted) return finish({ end: 'aborted' })
    signal.addEventListener('abort', onAbort)
    try {
      child = spawn(program.command, [...program.args], {
        env: { ...program.env },
        stdio: [interactive ? 'inherit' : 'ignore', 'pipe', 'pipe'],
        detached: ownGroup,
        windowsHide: true,
      })
    } catch (error) {
      finish({ end: 'not started', code: codeOf(error) })
      return
    }
    child.on('error', (error) => finish({ end: 'not started', code: codeOf(error) }))
    child.stdout?.on('data', (chunk: Buffer) => {
      if (!streams.stdout.add(chunk)) stop('too much output')
    })
    child.stderr?.on('data', (chunk: Buffer) => {
      streams.stderr.add(chunk)
      program.terminal?.say(chunk.toString())
    })
    child.on('close', (code, signal) => {
      const exit = code === null ? `signal ${signal}` : `exit code ${code}`
      finish({ end: 'exited', exit, succeeded: code === 0 })
    })
  })
}

function kill(child: ChildProcess, group: boolean): void {
  child.stdout?.destroy()
  child.stderr?.destroy()
  try {
    if (group && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    else child.kill('SIGKILL')
  } catch {
    // It ended by itself meanwhile.
  }
}

class Collected {
  readonly #chunks: Buffer[] = []
  #bytes = 0

  /** False when the stream holds more than is kept. */
  add(chunk: Buffer): boolean {
    this.#bytes += chunk.length
    if (this.#bytes > mostBytes) return false
    this.#chunks.push(chunk)
    return true
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString()
  }
}
