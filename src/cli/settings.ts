import type { Command } from 'commander'
import { Option } from 'commander'
import type { Config } from '../core/config.ts'
import { loadConfig, settingsOf } from '../core/config.ts'
import type { Log } from '../core/log.ts'
import { createLog } from '../core/log.ts'
import { configSchema } from './config-schema.ts'

export type Settings = Config<typeof configSchema>

/** Gives a command a flag for each setting, and `--config`. */
export function withSettings(command: Command): Command {
  for (const { flag, env, schema } of settingsOf(configSchema)) {
    const byDefault = schema.default === undefined ? '' : ` Default: ${schema.default}.`
    const option = new Option(`${flag} <value>`, `${schema.description ?? ''}${byDefault} [${env}]`)
    command.addOption(schema.enum ? option.choices(schema.enum.map(String)) : option)
  }
  return command.option('--config <file>', 'The configuration file. (default: lanyard.yaml, where there is one)')
}

/** Flags over variables over the file over defaults, with a logger made accordingly. */
export async function loadSettings(command: Command): Promise<{ settings: Settings; log: Log }> {
  const { config: file, ...options } = command.opts<Record<string, string | undefined>>()
  const known = settingsOf(configSchema)
  const flags = Object.fromEntries(
    known.filter(({ option }) => options[option] !== undefined).map(({ path, option }) => [path, options[option]]),
  )
  const { config, unknownVariables } = await loadConfig(configSchema, {
    flags,
    env: process.env,
    file: file ?? { path: 'lanyard.yaml', optional: true },
  })
  const isTerminal = process.stderr.isTTY
  const log = createLog({ level: config.log.level, pretty: isTerminal, colour: isTerminal })
  if (unknownVariables.length > 0) log.warn({ unknownVariables }, 'variables that are no settings')
  return { settings: config, log }
}
