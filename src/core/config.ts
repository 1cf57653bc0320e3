/**
 * One configuration file, `lanyard.yaml`, with a section a role: flags over environment over file over defaults.
 * `hub.listenAddress` is `--hub-listen-address` and `LANYARD_HUB_LISTEN_ADDRESS`. A secret is never a value but a file
 * that holds it: `database.password` is given as `database.passwordFile`.
 */
export type { ConfigSources, LoadedConfig } from './config/load.ts'
export { loadConfig } from './config/load.ts'
export type { Config, ConfigSchema, Setting } from './config/settings.ts'
export { reloads, secretSetting, settingsOf } from './config/settings.ts'
export type { WatchConfigOptions } from './config/watch.ts'
export { watchConfig } from './config/watch.ts'
