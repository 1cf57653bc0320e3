import { createInterface } from 'node:readline/promises'

/** Asks a person on a terminal, who says no by anything but yes. Undefined where there is none: nobody could answer. */
export async function confirm(question: string, signal: AbortSignal): Promise<boolean | undefined> {
  if (!process.stdin.isTTY) return undefined
  using asking = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await asking.question(`${question} [y/N] `, { signal })
  return /^y(es)?$/i.test(answer.trim())
}
