import { checkedRegistries, oldIds } from './check-config.ts'
import type { RegistryConfig } from './config.ts'
import type { RegistryDeps } from './deps.ts'
import type { SourceConfig } from './drivers.ts'
import { drivers } from './drivers.ts'
import type { Registries, RegistryEntry } from './entry.ts'
import type { Line, Priority } from './http/index.ts'
import { logInAt, openLine, registryHttp } from './http/index.ts'
import type { RegistryDriver } from './registry.ts'

export type { RegistryConfig } from './config.ts'
export { defaultRegistries } from './default-set.ts'
export type { RegistryDeps } from './deps.ts'
export { registriesSchema } from './schema.ts'

const defaultRate = { rps: 2, burst: 5 }

/**
 * Checks the configuration (throws CONFIG_… failures that name the field) and makes the drivers of each source, one for
 * requests and one for work in the background. An empty one means the default set.
 */
export function openRegistries(configs: readonly RegistryConfig[], deps: RegistryDeps): Registries {
  const { entries, sources } = checkedRegistries(configs)
  const made = new Map(sources.map((source) => [source.id, driversOf(source, deps)]))
  const byId = new Map(entries.map((entry) => [entry.id, entry]))
  return {
    entries,
    sources: entries.filter((entry) => made.has(entry.id)),
    find: (idOrAlias) => byId.get(idOrAlias) ?? byOldId(entries, idOrAlias),
    driver(id, priority = 'request') {
      const pair = made.get(id)
      if (!pair) throw new TypeError(`registry ${id} has no credential of its own`)
      return pair[priority]
    },
  }
}

function driversOf(config: SourceConfig, deps: RegistryDeps): Record<Priority, RegistryDriver> {
  const kind = drivers[config.type]
  const line: Line = openLine(
    {
      registry: config.id,
      rate: config.rate ?? defaultRate,
      timeoutMs: config.timeoutMs ?? kind.timeoutMs ?? 10_000,
      ...(config.auth && { auth: config.auth }),
    },
    deps,
  )
  const logIn = logInAt(line, config.loginUrl)
  const make = (priority: Priority) =>
    kind.make(config, {
      ...deps,
      log: line.log,
      http: registryHttp(line, config.apiBaseUrl, priority),
      logIn,
      line,
      priority,
    })
  return { request: make('request'), background: make('background') }
}

const byOldId = (entries: readonly RegistryEntry[], id: string): RegistryEntry | undefined =>
  entries.find(({ type, host }) => oldIds({ type, url: host }).includes(id))
