import type { ManagedClusterAddOn } from '../../apis/addon/managed-cluster-addon.ts'
import { agentSecrets } from '../../fleet/names.ts'
import type { Key, Stored } from '../../kube/objects.ts'
import type { AgentDriver, Declaration, HubFacts } from '../drivers/driver.ts'
import type { DriverName, RegistrationItem } from '../registrations.ts'
import { itemName, itemsOf, unusableOf } from '../registrations.ts'
import type { AddonSettings } from './deps.ts'

export type Drivers = Readonly<Record<DriverName, AgentDriver>>

/** An item that can be carried out, and how. */
export interface PlannedItem {
  readonly item: RegistrationItem
  readonly driver: AgentDriver
  readonly declaration: Declaration
}

/** What the agent is to do for one add-on. */
export interface AddonPlan {
  readonly items: readonly PlannedItem[]
  /** Sentences: which registrations cannot be carried out, and why. */
  readonly refused: readonly string[]
}

export const secretKey = ({ secret }: Pick<RegistrationItem, 'secret'>): Key => `${secret.namespace}/${secret.name}`

const namespacePattern = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/
/** The hub's status takes any text. */
export const isNamespaceName = (text: string): boolean => namespacePattern.test(text)

/**
 * By the name of the add-on. Of several items that want the same Secret one gets it: that of the add-on which has it
 * already, else of the oldest add-on, and the first of those.
 */
export function planOf(
  addons: readonly Stored<ManagedClusterAddOn>[],
  drivers: Drivers,
  settings: Pick<AddonSettings, 'namespace' | 'kubeClientDriver'>,
  holderOf: (secret: Key) => string | undefined = () => undefined,
  hub: HubFacts = {},
): Map<string, AddonPlan> {
  const winners = new Map<Key, RegistrationItem>()
  const drafts = [...addons].sort(byAge).map((addon) => {
    const items = itemsOf(addon).map((item) => {
      const driver = drivers[item.type === 'kubeClient' ? settings.kubeClientDriver : 'csr']
      const declaration = whyNot(item, settings.namespace) ?? driver.declaration(item, addon, hub)
      const key = secretKey(item)
      const rival = winners.get(key)
      const isHolder = holderOf(key) === item.addon && rival?.addon !== item.addon
      if (typeof declaration !== 'string' && (!rival || isHolder)) winners.set(key, item)
      return { item, driver, declaration }
    })
    return { addon, items }
  })
  const plans = drafts.map(({ addon, items }): [string, AddonPlan] => {
    const planned: PlannedItem[] = []
    const refused = unusableOf(addon)
    for (const { item, driver, declaration } of items) {
      const winner = winners.get(secretKey(item))
      const refusal = typeof declaration === 'string' ? declaration : winner !== item && whyTaken(item, winner)
      if (refusal) refused.push(`${itemName(item)}: ${refusal}`)
      else planned.push({ item, driver, declaration: declaration as Declaration })
    }
    return [addon.metadata.name, { items: planned, refused }]
  })
  return new Map(plans)
}

function whyNot({ secret: { namespace, name } }: RegistrationItem, own: string): string | undefined {
  if (!isNamespaceName(namespace))
    return `${namespace} cannot be the name of a namespace; correct its install namespace`
  if (name.length > 253) return `the Secret ${name} would have a name of more than 253 characters; use shorter names`
  if (namespace === own && agentSecretNames.includes(name))
    return `the Secret ${namespace}/${name} is the agent's own; install the add-on in another namespace`
  return undefined
}

function whyTaken({ addon, secret: { namespace, name } }: RegistrationItem, by: RegistrationItem | undefined): string {
  const whose = by?.addon === addon ? `registration ${by.index}` : `the add-on ${by?.addon}`
  return `the Secret ${namespace}/${name} is already that of ${whose}; use another signer, add-on name or namespace`
}

const agentSecretNames: readonly string[] = Object.values(agentSecrets)

const byAge = (a: Stored<ManagedClusterAddOn>, b: Stored<ManagedClusterAddOn>): number =>
  ageOf(a).localeCompare(ageOf(b)) || (a.metadata.name < b.metadata.name ? -1 : 1)

const ageOf = ({ metadata }: Stored<ManagedClusterAddOn>): string => `${metadata.creationTimestamp ?? ''}`

/** Whether the hub shows an item as the driver declares it. */
export const isDeclared = ({ item, declaration }: PlannedItem): boolean =>
  (item.type !== 'kubeClient' || item.driver === declaration.driver) &&
  item.subject.user === declaration.subject.user &&
  isSameList(item.subject.groups, declaration.subject.groups) &&
  isSameList(item.subject.organizationUnits, declaration.subject.organizationUnits)

const isSameList = (a: readonly string[] = [], b: readonly string[] = []): boolean =>
  a.length === b.length && a.every((value, index) => value === b[index])
