import { readFile } from 'node:fs/promises'
import type { Clock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import type { Random } from '../../core/random.ts'
import type { Environment } from '../ambient-identity.ts'
import { refuseStaticKeys } from '../ambient-identity.ts'
import { failures } from '../failures.ts'
import type { SinkConfig } from './settings.ts'
import type { Sink } from './sink.ts'

export interface SinkDeps {
  clock: Clock
  random: Random
  log: Log
  settings: { instanceId: string }
  /** Of the process: which identity the platform has given it. */
  env: Environment
  home?: string
}

type Open = (config: SinkConfig, deps: SinkDeps) => Promise<Sink>

/** Each store's client is loaded when its first copy is due: most installations have one of them, many none. */
const openers: Readonly<Record<SinkConfig['type'], Open>> = {
  kubernetes: async (config, deps) => (await import('./kubernetes-open.ts')).openKubernetesSink(config, deps),
  aws: async (config, deps) => (await import('./aws.ts')).openAwsSink(config, deps),
  google: async (config, deps) => (await import('./google.ts')).openGoogleSink(config, deps),
  azure: async (config, deps) => (await import('./azure.ts')).openAzureSink(config, deps),
  vault: async (config, deps) => (await import('./vault-kv.ts')).openVaultSink(config, deps),
}

const needed: Readonly<Record<SinkConfig['type'], readonly (keyof SinkConfig)[]>> = {
  kubernetes: ['namespace'],
  aws: ['region'],
  google: ['project'],
  azure: ['vaultUrl'],
  vault: ['address'],
}

/** Checks the configuration at once, and opens each sink on its first use. */
export function openSinks(configs: readonly SinkConfig[], deps: SinkDeps): Sink[] {
  const seen = new Set<string>()
  return configs.map((config) => {
    const { name, type } = config
    if (seen.has(name)) throw failures.SINK_CONFIG({ sink: name, detail: 'two sinks have this name' })
    seen.add(name)
    const missing = needed[type].find((field) => config[field] === undefined)
    if (missing) throw failures.SINK_CONFIG({ sink: name, detail: `${missing} is not set` })
    if (type === 'vault' && !config.role && !config.tokenFile)
      throw failures.SINK_CONFIG({ sink: name, detail: 'neither role nor tokenFile is set' })
    refuseStaticKeys(`sink ${name}`, config)
    refuseStaticEnvironment(config, deps.env)
    return lazySink(config, deps)
  })
}

/** What an SDK would pick up by itself. With a session token it is a key of the platform's that ends. */
function refuseStaticEnvironment({ name, type, allowStaticKeys }: SinkConfig, env: Environment): void {
  if (allowStaticKeys || type !== 'aws') return
  if (env['AWS_ACCESS_KEY_ID'] && !env['AWS_SESSION_TOKEN'])
    throw failures.PULL_STATIC_KEY({ entry: `sink ${name}`, field: 'AWS_ACCESS_KEY_ID' })
}

/** A sink that cannot be opened is one that cannot be used: tried again with the next copy. */
function lazySink(config: SinkConfig, deps: SinkDeps): Sink {
  const { name, type } = config
  let opened: Promise<Sink> | undefined
  const sink = async () => {
    opened ??= openers[type](config, deps)
    try {
      return await opened
    } catch (error) {
      opened = undefined
      throw failures.SINK_UNAVAILABLE({ sink: name, detail: 'it cannot be opened' }, error)
    }
  }
  return {
    name,
    put: async (copy, signal) => await (await sink()).put(copy, signal),
    remove: async (clusterId, signal) => await (await sink()).remove(clusterId, signal),
    holds: async (clusterId, hash, signal) => (await (await sink()).holds?.(clusterId, hash, signal)) ?? true,
    close: async () => await (await opened?.catch(() => undefined))?.close?.(),
  }
}

export const fileText = async (path: string): Promise<string> => (await readFile(path, 'utf8')).trim()
