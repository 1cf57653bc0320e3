import { failures } from '../../core/failures.ts'
import type { RegistryConfig } from './config.ts'
import { isEnabled, mistakesOf } from './config-mistakes.ts'
import { defaultRegistries } from './default-set.ts'
import type { SourceConfig } from './drivers.ts'
import { drivers } from './drivers.ts'
import type { RegistryEntry } from './entry.ts'

const cloudHost = 'cloud.openshift.com'

/** Ids that earlier systems used, understood on input. */
export const oldIds = ({ type, url }: Pick<RegistryConfig, 'type' | 'url'>): string[] => [
  `${type}_${url}`,
  ...(url === 'registry.redhat.io' ? ['rhit'] : []),
]

export interface CheckedRegistries {
  entries: RegistryEntry[]
  sources: SourceConfig[]
}

/** Throws a failure that names each field that is wrong. Nothing configured means the default set. */
export function checkedRegistries(given: readonly RegistryConfig[]): CheckedRegistries {
  const configs = withCloudAlias(given.length > 0 ? given : defaultRegistries).map((config, _, all) =>
    config.credentialSource === undefined
      ? config
      : { ...config, credentialSource: canonical(config.credentialSource, all) },
  )
  const mistakes = mistakesOf(configs).map(({ field, problem }) =>
    failures.CONFIG_WRONG_VALUE({ field: `pullSecrets.registries${field}`, origin: 'lanyard.yaml', problem }),
  )
  const [first, second] = mistakes
  if (first && second)
    throw failures.CONFIG_INVALID({
      count: mistakes.length,
      mistakes: mistakes.map(({ message }) => message).join('; '),
    })
  if (first) throw first
  const enabled = configs.filter(isEnabled)
  return {
    entries: enabled.map(entryOf),
    sources: enabled.filter(({ credentialSource }) => credentialSource === undefined).map(sourceOf),
  }
}

/** A Quay entry that asks for it shows its credential at cloud.openshift.com too, unless an entry says so already. */
function withCloudAlias(configs: readonly RegistryConfig[]): RegistryConfig[] {
  const isShown = (source: string) =>
    configs.some(({ url, credentialSource }) => url === cloudHost && credentialSource === source)
  return configs.flatMap((config) => {
    const { id, type, cloudAlias = false, credentialSource, enabled } = config
    if (type !== 'Quay' || !cloudAlias || credentialSource !== undefined || isShown(id)) return [config]
    const alias: RegistryConfig = {
      id: 'cloud-openshift',
      type,
      url: cloudHost,
      credentialSource: id,
      ...(enabled !== undefined && { enabled }),
    }
    return [config, alias]
  })
}

const canonical = (source: string, all: readonly RegistryConfig[]): string =>
  all.some(({ id }) => id === source) ? source : (all.find((config) => oldIds(config).includes(source))?.id ?? source)

function sourceOf(config: RegistryConfig): SourceConfig {
  const kind = drivers[config.type]
  const host = config.url.split('/', 1)[0] ?? config.url
  return {
    ...config,
    apiBaseUrl: config.apiBaseUrl ?? kind.apiBaseUrl({ ...config, url: host }),
    loginUrl: config.loginUrl ?? kind.loginUrl?.(host) ?? `https://${host}/v2/auth`,
  }
}

const entryOf = ({ id, name = id, type, url, credentialSource, required = true }: RegistryConfig): RegistryEntry => ({
  id,
  name,
  type,
  host: url,
  required,
  ...(credentialSource !== undefined && { credentialSource }),
})
