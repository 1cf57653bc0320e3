import type { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import type { Condition, ConditionReport } from '../../../core/conditions.ts'
import { findCondition, setCondition } from '../../../core/conditions.ts'
import { conditions } from '../../../fleet/names.ts'
import type { Capacity, Resources } from './capacity.ts'
import type { MirroredClaims } from './claims.ts'
import { joined } from './joined.ts'
import { isSameQuantity } from './quantity.ts'

export type ClusterStatus = NonNullable<ManagedCluster['status']>

/** What the agent knows. What it does not know (yet) is undefined, and stays as the hub has it. */
export interface Facts {
  available?: ConditionReport | undefined
  version?: string | undefined
  nodes?: Capacity | undefined
  claims?: MirroredClaims | undefined
  namespaces: ReadonlyMap<string, ConditionReport>
  /** Whether the hub has taken a renewal of the lease since it set Unknown. */
  hasRenewed: boolean
  /** Kinds of capacity that this agent has reported before: what is gone of them goes from the hub, too. */
  reported: ReadonlySet<string>
}

/** A merge patch of the status: null removes. */
export interface StatusPatch {
  conditions?: Condition[]
  capacity?: Record<string, string | number | null>
  allocatable?: Record<string, string | number | null>
  version?: { kubernetes: string }
  clusterClaims?: MirroredClaims
  managedNamespaces?: ClusterStatus['managedNamespaces']
}

/** What has to change on the hub; undefined when it has everything. */
export function statusPatch(status: ClusterStatus | undefined, facts: Facts, now: Date): StatusPatch | undefined {
  const { nodes, version, claims } = facts
  const before = status?.conditions as Condition[] | undefined
  const after = withReports(before, facts, now)
  const capacity = nodes && changesOf(status?.capacity, nodes.capacity, (name) => facts.reported.has(name))
  const allocatable = nodes && changesOf(status?.allocatable, nodes.allocatable, () => true)
  const managedNamespaces = withNamespaceReports(status?.managedNamespaces, facts.namespaces, now)
  const patch: StatusPatch = {
    ...(after !== before && { conditions: after }),
    ...(capacity && { capacity }),
    ...(allocatable && { allocatable }),
    ...(version !== undefined && version !== status?.version?.kubernetes && { version: { kubernetes: version } }),
    ...(claims && !isSameClaims(status?.clusterClaims, claims) && { clusterClaims: claims }),
    ...(managedNamespaces !== status?.managedNamespaces && { managedNamespaces }),
  }
  return Object.keys(patch).length > 0 ? patch : undefined
}

/**
 * Unknown is the hub's word for a lease that has stopped, and it stays until the hub has heard the lease again: an agent
 * that can write its status but not its lease would otherwise quarrel with the hub for ever.
 */
function withReports(before: Condition[] | undefined, { available, hasRenewed }: Facts, now: Date): Condition[] {
  const list = setCondition(before, joined, now)
  const isUnknown = findCondition(before, conditions.available)?.status === 'Unknown'
  return available && (hasRenewed || !isUnknown) ? setCondition(list, available, now) : list
}

/** Keys that others have added are kept: `isOurs` says which of those that are gone were the agent's. */
function changesOf(
  before: Resources | undefined,
  after: Resources,
  isOurs: (name: string) => boolean,
): Record<string, string | number | null> | undefined {
  const set = Object.entries(after).filter(([name, amount]) => !isSameQuantity(before?.[name], amount))
  const gone = Object.keys(before ?? {}).filter((name) => !(name in after) && isOurs(name))
  if (set.length + gone.length === 0) return undefined
  return Object.fromEntries([...set, ...gone.map((name) => [name, null] as const)])
}

const isSameClaims = (before: ClusterStatus['clusterClaims'] = [], after: MirroredClaims): boolean =>
  before.length === after.length &&
  before.every(({ name, value }, index) => name === after[index]?.name && value === after[index]?.value)

/** The same list when nothing changes. Which namespaces are in it is the hub's to say. */
function withNamespaceReports(
  entries: ClusterStatus['managedNamespaces'],
  reports: Facts['namespaces'],
  now: Date,
): ClusterStatus['managedNamespaces'] {
  const next = entries?.map((entry) => {
    const report = reports.get(entry.name)
    if (!report) return entry
    const list = setCondition(entry.conditions as Condition[] | undefined, report, now)
    return list === entry.conditions ? entry : { ...entry, conditions: list }
  })
  return next?.some((entry, index) => entry !== entries?.[index]) ? next : entries
}
