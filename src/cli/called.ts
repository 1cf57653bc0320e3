import type { Command } from 'commander'

/** What comes before the words of a command where this program runs. */
export type Called = 'lanyard' | 'npx --no-install lanyard'

/**
 * A checkout runs its sources, and there the command is among the programs of npm only. Without `--no-install`, npx
 * would fetch the package that a stranger has published as `lanyard`, and run it, wherever ours is not installed.
 * @param entry the file that the process began with
 */
export const calledFrom = (entry: string): Called => (entry.endsWith('.ts') ? 'npx --no-install lanyard' : 'lanyard')

/** What `main.ts` has called the program that this command is a part of. */
export function calledBy(command: Command): Called {
  let root = command
  while (root.parent) root = root.parent
  return root.name() as Called
}

/** A command of ours in a sentence: in backticks, in brackets, after a colon, or a line of its own. */
const ownCommand = /(^\s*|[`(]|: )lanyard (?=[a-z])/gm

/** Text for people, with the commands in it in the form in which this program was called. */
export const inCalledForm = (text: string, called: Called): string => text.replace(ownCommand, `$1${called} `)
