import type { ManagedClusterAddOn } from '../../../apis/addon/managed-cluster-addon.ts'
import type { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import { addonAccounts } from '../../../fleet/names.ts'
import type { Stored } from '../../../kube/objects.ts'
import { subjectOf } from '../../registrations.ts'
import { accountOf } from './accounts.ts'

/** What an add-on should have on the hub for its tokens. */
export type TokenPlan =
  | { readonly is: 'wanted'; readonly account: string }
  /** Nothing, and no condition that speaks of it. */
  | { readonly is: 'unwanted' }
  /** Nothing, and there is nobody to tell any more. */
  | { readonly is: 'gone' }
  /** Nothing, because it asks for an account that it cannot have. */
  | { readonly is: 'refused'; readonly user: string }

/** Only the first registration for the API server of the hub counts: an add-on has one account. */
export function tokenPlanOf(
  addon: Stored<ManagedClusterAddOn> | undefined,
  cluster: Stored<ManagedCluster> | undefined,
): TokenPlan {
  if (!addon || addon.metadata.deletionTimestamp) return { is: 'gone' }
  const isIn = cluster?.spec?.hubAcceptsClient === true && !cluster.metadata.deletionTimestamp
  const { driver, user } = declaredIn(addon)
  if (!isIn || driver !== 'token') return { is: 'unwanted' }
  const account = accountDeclaredIn(addon)
  return account === undefined ? { is: 'refused', user: user ?? '' } : { is: 'wanted', account }
}

/** What the agent declared of the registration that counts. */
export function declaredIn({ status }: ManagedClusterAddOn): { driver: string | undefined; user: string | undefined } {
  const { driver, subject } = status?.registrations?.find(({ type }) => type === 'kubeClient')?.kubeClient ?? {}
  return { driver, user: subjectOf(subject).user }
}

/**
 * The account that an add-on is to have, where it comes by token: the one that its subject names, or the field's where
 * it names none. Undefined where it names another.
 */
export function accountDeclaredIn(addon: Stored<ManagedClusterAddOn>): string | undefined {
  const { namespace: cluster = '', name } = addon.metadata
  const { user } = declaredIn(addon)
  const [, ofTheField] = addonAccounts(cluster, name)
  return user === undefined ? ofTheField : accountOf(user, { cluster, addon: name })
}
