import { Command } from 'commander'
import type { Stop } from '../../src/cli/stop-signal.ts'

export interface Ran {
  readonly out: string
  readonly err: string
}

export interface InProcess {
  /** Until it has ended. Rejects with what it throws, which `main.ts` would explain. */
  run(...args: string[]): Promise<Ran>
  /** One that is under way. */
  start(...args: string[]): { readonly ended: Promise<Ran>; readonly said: () => string; stop(): void }
}

/** Commands without a process of their own, which takes longer to start than most of them take. */
export function inProcess(command: (stop: Stop) => Command): InProcess {
  const start: InProcess['start'] = (...args) => {
    const end = new AbortController()
    let [out, err] = ['', '']
    const made = command({ signal: end.signal, exitCode: undefined })
    const program = new Command('lanyard').addCommand(made)
    quietly(program, {
      writeOut: (text) => {
        out += text
      },
      writeErr: (text) => {
        err += text
      },
    })
    const ended = program.parseAsync([made.name(), ...args], { from: 'user' }).then(() => ({ out, err }))
    ended.catch(() => {})
    return { ended, said: () => `${out}${err}`, stop: () => end.abort() }
  }
  return { start, run: (...args) => start(...args).ended }
}

function quietly(command: Command, output: { writeOut(text: string): void; writeErr(text: string): void }): void {
  command.exitOverride().configureOutput(output)
  for (const below of command.commands) quietly(below, output)
}
