import { isIPv4 } from 'node:net'
import type { RegistryConfig } from './config.ts'
import { drivers } from './drivers.ts'
import { isQuayName } from './quay/names.ts'
import { nameRule as partnerRule } from './redhat/names.ts'
import { registrySchema } from './schema.ts'

export interface Mistake {
  /** Below `pullSecrets.registries`: `[1].url`. */
  field: string
  problem: string
}

type Check = (config: RegistryConfig, all: readonly RegistryConfig[]) => [field: string, problem: string] | undefined

const idRule = /^[a-z0-9](?:[a-z0-9-]{0,48}[a-z0-9])?$/
const hostRule =
  /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:]+\])(?::[0-9]{1,5})?(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*$/
const anonymousHost = 'registry.access.redhat.com'

/** Every one of them is asked, so that all mistakes are told at once. */
const checks: readonly Check[] = [
  isUnknownField,
  ({ id }) => (idRule.test(id) ? undefined : ['id', 'must be at most 50 lower-case letters, digits and hyphens']),
  (config, all) =>
    all.find(({ id }) => id === config.id) === config ? undefined : ['id', `is ${config.id} a second time`],
  ({ url }) =>
    hostRule.test(url)
      ? undefined
      : ['url', 'must be a host in lower case, without a scheme and without a slash at its end'],
  ({ url }) =>
    hostOf(url) === anonymousHost ? ['url', `is ${anonymousHost}, which lets everybody in: leave it out`] : undefined,
  (config, all) =>
    !isEnabled(config) || all.find((other) => isEnabled(other) && other.url === config.url) === config
      ? undefined
      : ['url', `is ${config.url} a second time`],
  sourceMistake,
  ({ type, cloudAlias }) => (cloudAlias && type !== 'Quay' ? ['cloudAlias', 'is for entries of type Quay'] : undefined),
  missingField,
  ({ type, orgName }) =>
    type === 'Quay' && orgName !== undefined && !isQuayName(orgName)
      ? ['orgName', 'is not the name of an organization of Quay']
      : undefined,
  ({ type, teamName }) =>
    type === 'Quay' && teamName !== undefined && !isQuayName(teamName)
      ? [
          'teamName',
          'must be 2 to 255 lower-case letters and digits, with single dots, underscores and hyphens between',
        ]
      : undefined,
  ({ partnerCode }) =>
    partnerCode !== undefined && !partnerRule.test(partnerCode)
      ? ['partnerCode', 'must be letters, digits, dots, underscores and hyphens']
      : undefined,
  ({ apiBaseUrl }) => addressMistake('apiBaseUrl', apiBaseUrl),
  ({ loginUrl }) => addressMistake('loginUrl', loginUrl),
  ({ generic }) => addressMistake('generic.http.baseUrl', generic?.http?.baseUrl),
  ({ auth }) => {
    const { tokenFile, username, passwordFile } = auth ?? {}
    if (tokenFile && (username || passwordFile)) return ['auth', 'has a token and a password; only one can be sent']
    if (Boolean(username) !== Boolean(passwordFile)) return ['auth', 'needs both username and passwordFile']
    return username?.includes(':') ? ['auth.username', 'must have no colon'] : undefined
  },
  ({ auth }) =>
    Boolean(auth?.certFile) === Boolean(auth?.keyFile) ? undefined : ['auth', 'needs both certFile and keyFile'],
]

export const isEnabled = ({ enabled = true }: RegistryConfig): boolean => enabled

/** In the order of the entries; the parts of an entry were checked for their types before. */
export function mistakesOf(configs: readonly RegistryConfig[]): Mistake[] {
  const found = configs.flatMap((config, at) =>
    checks.flatMap((check) => {
      const [field, problem] = check(config, configs) ?? []
      return field === undefined || problem === undefined ? [] : [{ field: `[${at}].${field}`, problem }]
    }),
  )
  const hasSource = configs.some((config) => isEnabled(config) && config.credentialSource === undefined)
  return hasSource ? found : [...found, { field: '', problem: 'must have an entry with a credential of its own' }]
}

/** An alias shows what another entry has: not nothing, not what shows a third one's, not itself. */
function sourceMistake(config: RegistryConfig, all: readonly RegistryConfig[]): ReturnType<Check> {
  const { id, credentialSource } = config
  if (credentialSource === undefined || !isEnabled(config)) return undefined
  const wrong = (problem: string): ReturnType<Check> => ['credentialSource', problem]
  if (credentialSource === id) return wrong('is the entry itself')
  const source = all.find((other) => other.id === credentialSource)
  if (!source) return wrong(`is ${credentialSource}, which is no entry`)
  if (!isEnabled(source)) return wrong(`is ${credentialSource}, which is switched off`)
  if (source.credentialSource === id)
    return wrong(`is ${credentialSource}, which in turn shows the credential of this one`)
  return source.credentialSource === undefined
    ? undefined
    : wrong(`is ${credentialSource}, which has no credential of its own: name ${source.credentialSource}`)
}

function missingField(config: RegistryConfig): ReturnType<Check> {
  if (config.credentialSource !== undefined || !isEnabled(config)) return undefined
  const missing = drivers[config.type].needs.find((field) => config[field] === undefined)
  return missing && [missing, `must be set for an entry of type ${config.type}`]
}

/** The loader prunes nothing inside a list, and a misspelt field would be a default that nobody chose. */
function isUnknownField(config: RegistryConfig): ReturnType<Check> {
  const unknown = Object.keys(config).find((key) => !Object.hasOwn(registrySchema.properties, key))
  return unknown === undefined ? undefined : [unknown, 'is not a setting']
}

function addressMistake(field: string, address: string | undefined): ReturnType<Check> {
  if (address === undefined) return undefined
  const url = URL.parse(address)
  if (!url || !['https:', 'http:'].includes(url.protocol))
    return [field, 'must be an address that begins with https://']
  if (url.username || url.password) return [field, 'must hold no credentials: they belong into files']
  if (url.hash || (url.search && field !== 'loginUrl')) return [field, 'must end with its path']
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    return [field, 'must begin with https://; http:// is for addresses of this machine only']
  return undefined
}

const hostOf = (url: string): string => url.split(/[:/]/, 1)[0] ?? ''

const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || (isIPv4(hostname) && hostname.startsWith('127.'))
