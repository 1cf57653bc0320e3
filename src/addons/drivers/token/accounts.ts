import type { ManagedClusterAddOn } from '../../../apis/addon/managed-cluster-addon.ts'
import type { Condition } from '../../../core/conditions.ts'
import { findCondition } from '../../../core/conditions.ts'
import { accountUser, addonAccounts, addonConditions } from '../../../fleet/names.ts'
import type { Announcement } from './announcement.ts'
import { readAnnouncement } from './announcement.ts'

interface Whose {
  readonly cluster: string
  readonly addon: string
}

/** The account that a user name stands for; undefined where it is none that this add-on may have. */
export const accountOf = (user: string | undefined, { cluster, addon }: Whose): string | undefined =>
  addonAccounts(cluster, addon).find((account) => accountUser(cluster, account) === user)

/** What the hub says of the account of an add-on. */
export type Infrastructure =
  | ({ readonly is: 'ready' } & Announcement)
  | { readonly is: 'awaited' }
  /** The hub announces what this add-on cannot have. */
  | { readonly is: 'foreign'; readonly message: string }

export function infrastructureOf(object: ManagedClusterAddOn | undefined, whose: Whose): Infrastructure {
  const list = object?.status?.conditions as Condition[] | undefined
  const condition = findCondition(list, addonConditions.tokenInfrastructureReady)
  if (condition?.status !== 'True') return { is: 'awaited' }
  const announced = readAnnouncement(condition.message)
  const own = addonAccounts(whose.cluster, whose.addon)
  const isOurs = announced?.namespace === whose.cluster && own.includes(announced.account)
  return isOurs ? { is: 'ready', ...announced } : { is: 'foreign', message: condition.message }
}

/**
 * As whom the add-on should be declared. Ours, unless the hub announces the field's account: such a hub makes no other.
 * A declared account is kept otherwise, so that hub and agent never each follow the other.
 */
export function declaredAccount(declared: string | undefined, infrastructure: Infrastructure, whose: Whose): string {
  const [ours, theirs] = addonAccounts(whose.cluster, whose.addon)
  if (infrastructure.is === 'ready' && infrastructure.account === theirs) return theirs
  return declared ?? ours
}
