import { spinner } from '@clack/prompts'
import type { Step } from '../demo/step.ts'

/** Shows steps as they happen: a spinner on a terminal, plain lines elsewhere, nothing when the output is for a program. */
export interface Progress {
  show(step: Step): void
  /** Ends a step that was begun and not finished. */
  fail(): void
}

export const silentProgress: Progress = { show() {}, fail() {} }

export function progressOn(stream: NodeJS.WriteStream): Progress {
  return stream.isTTY ? terminalProgress() : lineProgress((line) => stream.write(`${line}\n`))
}

const sentence = (step: { did: string; detail?: string }): string =>
  step.detail ? `${step.did}: ${step.detail}` : step.did

export function lineProgress(write: (line: string) => void): Progress {
  let doing: string | undefined
  return {
    show(step) {
      if ('doing' in step) {
        doing = step.doing
        write(`… ${step.doing}`)
      } else {
        doing = undefined
        write(`✔ ${sentence(step)}`)
      }
    },
    fail() {
      if (doing) write(`✖ ${doing}`)
    },
  }
}

function terminalProgress(): Progress {
  let running: ReturnType<typeof spinner> | undefined
  return {
    show(step) {
      if ('doing' in step) {
        running ??= spinner()
        running.start(step.doing)
      } else {
        running ??= spinner()
        running.stop(sentence(step))
        running = undefined
      }
    },
    fail() {
      running?.error()
      running = undefined
    },
  }
}
