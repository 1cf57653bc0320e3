import type { Command } from 'commander'
import { calledBy, inCalledForm } from './called.ts'

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

/** What to do next, with its commands in the form in which this program was called. */
export const hintOn =
  (command: Command) =>
  (text: string): void =>
    printOn(command)(inCalledForm(text, calledBy(command)))
