import type { Command } from 'commander'

/**
 * The flags of these names that a command was given, for one that is to be run after it.
 * @param names without their dashes
 */
export const sameFlags = (command: Command, names: readonly string[]): string =>
  command.options
    .filter(({ long }) => names.includes(long?.slice(2) ?? ''))
    .flatMap((option) => {
      const name = option.attributeName()
      const value: unknown = command.getOptionValue(name)
      const isGiven = command.getOptionValueSource(name) !== 'default'
      return isGiven && typeof value === 'string' ? [` ${option.long} ${quoted(value)}`] : []
    })
    .join('')

const quoted = (value: string): string => (/^[\w./:@=+-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`)
