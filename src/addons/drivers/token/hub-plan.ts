import type { ManagedClusterAddOn } from '../../../apis/addon/managed-cluster-addon.ts'
import type { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import type { Stored } from '../../../kube/objects.ts'
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
  const { driver, subject } = declaredIn(addon)
  // The agent says the driver first, and then who the add-on is.
  if (!isIn || driver !== 'token' || !subject?.user) return { is: 'unwanted' }
  const { namespace = '', name } = addon.metadata
  const account = accountOf(subject.user, { cluster: namespace, addon: name })
  return account === undefined ? { is: 'refused', user: subject.user } : { is: 'wanted', account }
}

/** What the agent declared of the registration that counts. */
export const declaredIn = ({ status }: ManagedClusterAddOn) =>
  status?.registrations?.find(({ type }) => type === 'kubeClient')?.kubeClient ?? {}
