import type { Clock } from '../core/clock.ts'
import { loadConfig, watchConfig } from '../core/config.ts'
import type { Run } from '../core/lifecycle.ts'
import { aborted } from '../core/lifecycle.ts'
import type { Log } from '../core/log.ts'
import type { AccessConfig } from './access-schema.ts'
import { configSchema } from './config-schema.ts'
import type { ReachConfig } from './reach-schema.ts'

export interface WatchedHubConfig {
  reach(): ReachConfig
  access(): AccessConfig
  /** Takes over what changes in the file. */
  readonly run: Run
}

/** What lanyard.yaml says to a hub. Changes count at once; a file that is damaged leaves the last good one. */
export async function watchedHubConfig(
  file: string | undefined,
  { clock, log, env }: { clock: Clock; log: Log; env: Readonly<Record<string, string | undefined>> },
): Promise<WatchedHubConfig> {
  const sources = { env, file: file ?? { path: 'lanyard.yaml', optional: true } }
  const loaded = await loadConfig(configSchema, sources)
  let current = loaded.config
  const onTrouble = (failure: Error | undefined) =>
    failure
      ? log.error({ err: failure }, 'the configuration cannot be used; the last good one stays in force')
      : log.info('the configuration can be used again')
  return {
    reach: () => current.reach,
    access: () => current.access,
    async run(signal) {
      for await (const { config } of watchConfig(configSchema, sources, loaded, { signal, clock, onTrouble })) {
        current = config
        log.info({ reach: current.reach, access: current.access }, 'the configuration was read again')
      }
      await aborted(signal)
    },
  }
}
