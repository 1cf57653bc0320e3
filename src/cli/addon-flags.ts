import type { Command } from 'commander'
import { InvalidArgumentError, Option } from 'commander'
import type { DriverName } from '../addons/registrations.ts'
import { addonNamespace } from '../fleet/names.ts'
import { listOf, wholeNumber } from './flag-values.ts'

const drivers: readonly DriverName[] = ['csr', 'token']
const leastSeconds = 600
const soundSeconds = 3_600

/** Another word is refused with the known ones: an agent that is older than a driver must not guess. */
export const addonDriverOption = (): Option =>
  new Option('--addon-kubeclient-registration-auth <driver>', 'how add-ons come to the hub').choices(drivers)

export const addonTokenLifeOption = (): Option =>
  new Option('--addon-token-expiration-seconds <n>', 'life of the tokens of add-ons; 0: a year').argParser(tokenLife)

/** API servers grant no token of less than ten minutes. */
function tokenLife(text: string): number {
  const seconds = wholeNumber(0)(text)
  if (seconds === 0 || seconds >= leastSeconds) return seconds
  throw new InvalidArgumentError(`A token lives at least ${leastSeconds} seconds. 0 means a year.`)
}

/** What to say of a life that works and that nobody should choose for good. */
export const tokenLifeWarning = (seconds = 0): string | undefined =>
  seconds > 0 && seconds < soundSeconds
    ? `--addon-token-expiration-seconds=${seconds} is for tests: a hub that is away for minutes lets such tokens run out; use ${soundSeconds} or more`
    : undefined

/** Of commands that install an agent: what is not given stays out of its Deployment. */
export interface AddonInstallOptions {
  addonKubeclientRegistrationAuth?: DriverName
  addonTokenExpirationSeconds?: number
  addonNamespaces?: string[]
}

export const withAddonFlags = (command: Command): Command =>
  command
    .addOption(addonDriverOption())
    .addOption(addonTokenLifeOption())
    .option('--addon-namespaces <names>', `where add-ons may be (default: ${addonNamespace})`, listOf)

export const installedAddons = (options: AddonInstallOptions) => ({
  ...(options.addonKubeclientRegistrationAuth && {
    addonKubeClientRegistrationAuth: options.addonKubeclientRegistrationAuth,
  }),
  ...(options.addonTokenExpirationSeconds && { addonTokenExpirationSeconds: options.addonTokenExpirationSeconds }),
  ...(options.addonNamespaces && { addonNamespaces: options.addonNamespaces }),
})
