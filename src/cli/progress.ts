import type { Step } from '../core/step.ts'
import type { Called } from './called.ts'
import { inCalledForm } from './called.ts'
import { printable } from './printable.ts'

/** Shows steps as they happen: a moving line on a terminal, plain lines elsewhere, nothing when the output is for a program. */
export interface Progress {
  show(step: Step): void
  /** Ends a step that was begun and not finished. */
  fail(): void
}

export const silentProgress: Progress = { show() {}, fail() {} }

/** @param called of the commands that steps tell of */
export const progressOn = (stream: NodeJS.WriteStream, called: Called = 'lanyard'): Progress =>
  stream.isTTY && !process.env['CI']
    ? terminalProgress((text) => stream.write(inCalledForm(text, called)))
    : lineProgress((line) => stream.write(`${inCalledForm(line, called)}\n`))

const sentence = (step: { did: string; detail?: string }): string =>
  printable(`✔ ${step.detail ? `${step.did}: ${step.detail}` : step.did}`)

export function lineProgress(write: (line: string) => void): Progress {
  let doing: string | undefined
  return {
    show(step) {
      doing = 'doing' in step ? printable(step.doing) : undefined
      write(doing !== undefined ? `… ${doing}` : sentence(step as { did: string }))
    },
    fail() {
      if (doing) write(`✖ ${doing}`)
    },
  }
}

const frames = ['◐', '◓', '◑', '◒']
const clearLine = '\r\x1b[2K'

/**
 * The line of what is being done turns until it is done. Only ever writes: a spinner that reads keys, as those of
 * prompt libraries do, takes Ctrl-C away from us.
 */
export function terminalProgress(write: (text: string) => void): Progress {
  let doing: string | undefined
  let turning: NodeJS.Timeout | undefined
  let frame = 0
  const draw = () => write(`${clearLine}${frames[frame++ % frames.length]} ${doing}`)
  const end = (line: string) => {
    clearInterval(turning)
    turning = undefined
    doing = undefined
    write(`${clearLine}${line}\n`)
  }
  return {
    show(step) {
      if ('did' in step) return end(sentence(step))
      doing = printable(step.doing)
      turning ??= setInterval(draw, 120).unref()
      draw()
    },
    fail() {
      if (doing) end(`✖ ${doing}`)
    },
  }
}
