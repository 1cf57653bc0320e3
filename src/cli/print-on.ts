import type { Command } from 'commander'

/** Where a command prints its result: standard output, unless whoever runs it in their own process says otherwise. */
export const printOn =
  (command: Command) =>
  (text: string): void =>
    command.configureOutput().writeOut?.(text)

/** And what is not its result. */
export const tellOn =
  (command: Command) =>
  (text: string): void =>
    command.configureOutput().writeErr?.(text)
