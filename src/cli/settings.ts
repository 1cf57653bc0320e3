import type { Command } from 'commander'
import { Option } from 'commander'
import type { Config } from '../core/config.ts'
import { loadConfig, settingsOf } from '../core/config.ts'
import type { Log } from '../core/log.ts'
import { createLog } from '../core/log.ts'
import { configSchema } from './config-schema.ts'

export type Settings = Config<typeof configSchema>

/** Of one role only: its command has flags of its own for what is set by hand. */
const roleSections = ['pullSecrets.', 'reach.', 'access.']
const isOfRole = (path: string): boolean => roleSections.some((section) => path.startsWith(section))

/**
 * Gives a command a flag for each setting, and `--config`.
 * @param here what a setting means to this command; null for one that changes nothing, which the help leaves out
 * @param taken settings whose flag means something else to this command, which declares it itself
 */
export function withSettings(
  command: Command,
  here: Readonly<Record<string, string | null>> = {},
  taken: readonly string[] = [],
): Command {
  for (const { flag, env, schema, option: name, path } of settingsOf(configSchema)) {
    if (taken.includes(name) || isOfRole(path)) continue
    const byDefault = schema.default === undefined ? '' : ` Default: ${schema.default}.`
    const option = new Option(`${flag} <value>`, `${here[name] ?? schema.description ?? ''}${byDefault} [${env}]`)
    if (schema.enum) option.choices(schema.enum.map(String))
    command.addOption(option.hideHelp(here[name] === null))
  }
  return command.option('--config <file>', 'The configuration file. (default: lanyard.yaml, where there is one)')
}

/** For commands that act on a hub and keep nothing on this machine. */
export const withHubSettings = (command: Command, taken?: readonly string[]): Command =>
  withSettings(command, { data: null, namespace: null }, taken)

/**
 * Flags over variables over the file over defaults, with a logger made accordingly.
 * @param ofRole what flags of the command's own set, by the path of the setting
 */
export async function loadSettings(
  command: Command,
  ofRole: Readonly<Record<string, unknown>> = {},
): Promise<{ settings: Settings; log: Log }> {
  const { config: file, ...options } = command.opts<Record<string, string | undefined>>()
  const known = settingsOf(configSchema)
  const flags = Object.fromEntries(
    known.filter(({ option }) => options[option] !== undefined).map(({ path, option }) => [path, options[option]]),
  )
  const { config, unknownVariables } = await loadConfig(configSchema, {
    flags: { ...flags, ...ofRole },
    env: process.env,
    file: file ?? { path: 'lanyard.yaml', optional: true },
  })
  const isTerminal = process.stderr.isTTY
  const log = createLog({ level: config.log.level, pretty: isTerminal, colour: isTerminal })
  if (unknownVariables.length > 0) log.warn({ unknownVariables }, 'variables that are no settings')
  return { settings: config, log }
}
