import { isDeepStrictEqual } from 'node:util'
import type { ManagedClusterAddOn } from '../../../apis/addon/managed-cluster-addon.ts'
import type { Condition } from '../../../core/conditions.ts'
import { findCondition } from '../../../core/conditions.ts'
import { addonConditions, addonLabels } from '../../../fleet/names.ts'
import { isDrift } from '../../../fleet/wanted/drift.ts'
import type { Named } from '../../../fleet/wanted/named.ts'
import type { Informer } from '../../../kube/informer.ts'
import type { Key, KubeObject, Stored } from '../../../kube/objects.ts'
import { keyOf, splitKey } from '../../../kube/objects.ts'
import type { Change } from '../../../kube/store.ts'
import type { Watching } from '../../../kube/watching.ts'
import { changesOf, watching } from '../../../kube/watching.ts'
import type { AddonHubDeps } from '../../hub/deps.ts'
import { reasons } from '../../reasons.ts'
import { formatAnnouncement } from './announcement.ts'
import type { TokenObjects } from './hub-objects.ts'
import { tokenObjects } from './hub-objects.ts'
import type { TokenPlan } from './hub-plan.ts'
import { accountDeclaredIn, declaredIn, tokenPlanOf } from './hub-plan.ts'

/** By the key of the add-on: the UIDs of what this process put in place, that of the account first. */
export type Placed = ReadonlyMap<Key, readonly string[]>
/** The keys of the add-ons of which this process said last that it failed. */
export type Failing = ReadonlySet<Key>

export function planFor({ view, clusters }: Pick<AddonHubDeps, 'view' | 'clusters'>, key: Key): TokenPlan {
  return tokenPlanOf(view.addons.get(key), clusters.get(splitKey(key).namespace ?? ''))
}

export function wantedFor(deps: AddonHubDeps, key: Key): TokenObjects | undefined {
  const plan = planFor(deps, key)
  const { namespace = '', name } = splitKey(key)
  return plan.is === 'wanted' ? tokenObjects(namespace, name, plan.account, deps.settings.labels) : undefined
}

export const announcedBy = (addon: ManagedClusterAddOn): Condition | undefined =>
  findCondition(addon.status?.conditions as Condition[] | undefined, addonConditions.tokenInfrastructureReady)

/**
 * Whether a change of an add-on is anything to act on. What we write ourselves is not: it would be looked at by informers
 * that lag behind it, and a failure is tried again by whoever met it. One that is over is news: its end may have gone
 * untold, when it came before word of the failure.
 */
export function isNews(change: Change<ManagedClusterAddOn>, placed: Placed, failing: Failing): boolean {
  if (change.type !== 'updated') return true
  const { previous, object } = change
  const facts = (addon: Stored<ManagedClusterAddOn>) => [addon.metadata.deletionTimestamp, declaredIn(addon)]
  if (!isDeepStrictEqual(facts(previous), facts(object))) return true
  const [before, now] = [announcedBy(previous), announcedBy(object)]
  return !isDeepStrictEqual(before, now) && !isOurWord(now, object, placed, failing)
}

function isOurWord(
  condition: Condition | undefined,
  addon: Stored<ManagedClusterAddOn>,
  placed: Placed,
  failing: Failing,
): boolean {
  const [uid] = placed.get(keyOf(addon)) ?? []
  if (!condition) return uid === undefined
  if (condition.status === 'False')
    return failing.has(keyOf(addon)) && condition.reason === reasons.TokenInfrastructureApplyFailed
  const { namespace = '' } = addon.metadata
  const account = accountDeclaredIn(addon)
  if (account === undefined || uid === undefined) return false
  const isSaid = condition.message === formatAnnouncement({ namespace, account, uid })
  return isSaid && condition.status === 'True' && condition.reason === reasons.TokenInfrastructureReady
}

/** The key of the add-on that something was made for. */
const ownerOf = ({ metadata }: KubeObject): Key[] => {
  const addon = metadata?.labels?.[addonLabels.name]
  return addon && metadata?.namespace ? [`${metadata.namespace}/${addon}`] : []
}

/** What brings an add-on back: what it declares, whether its cluster is in, and whatever leaves its objects other than they should be. */
export function watchesOf(deps: AddonHubDeps, placed: Placed, failing: Failing): Watching[] {
  const { view, clusters } = deps
  const owned = <T extends KubeObject>(informer: Informer<T>, pick: (objects: TokenObjects) => Named<T>) =>
    watching(informer, ownerOf, {
      when: (change) =>
        ownerOf(change.object).some((key) => {
          const wanted = wantedFor(deps, key)
          const one = wanted && pick(wanted)
          return isDrift(change, one?.metadata.name === change.object.metadata.name ? one : undefined)
        }),
    })
  return [
    watching(view.addons, keyOf, { when: (change) => isNews(change, placed, failing) }),
    watching(clusters, ({ metadata }) => view.addons.byIndex('cluster', metadata.name).map(keyOf), {
      when: changesOf(({ metadata, spec }) => [metadata.deletionTimestamp, spec?.hubAcceptsClient]),
    }),
    owned(view.accounts, ({ account }) => account),
    owned(view.roles, ({ role }) => role),
    owned(view.roleBindings, ({ roleBinding }) => roleBinding),
  ]
}
