import { isTrue } from '../../core/conditions.ts'
import type { Escalation, Session } from './contract.ts'
import { fitsAny } from './glob.ts'

/** Everybody who proved who they are is in it. */
const everybody = 'system:authenticated'

/** Names of clusters that an escalation speaks of. */
const clusterPatterns = ({ spec }: Escalation): readonly string[] => [
  ...(spec.allowed.clusters ?? []),
  ...(spec.clusterConfigRefs ?? []),
]

export const isForCluster = (escalation: Escalation, cluster: string): boolean =>
  fitsAny(clusterPatterns(escalation), cluster)

/**
 * The group without the first of these prefixes that it has. Tokens and escalations may both be written with one: they
 * are compared without.
 */
export function withoutPrefix(group: string, prefixes: readonly string[] = []): string {
  const prefix = prefixes.find((one) => one !== '' && group.startsWith(one))
  return prefix === undefined ? group : group.slice(prefix.length)
}

/** What members of these groups may ask for on this cluster, Ready or not, in the order in which one is chosen. */
export function matchingEscalations<E extends Escalation>(
  groups: readonly string[],
  cluster: string,
  escalations: readonly E[],
  prefixes: readonly string[] = [],
): E[] {
  const own = new Set([everybody, ...groups.map((group) => withoutPrefix(group, prefixes))])
  const isForThem = ({ spec }: E) =>
    (spec.allowed.groups ?? []).some((group) => own.has(withoutPrefix(group, prefixes)))
  return escalations
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .filter((escalation) => isForCluster(escalation, cluster) && isForThem(escalation))
    .toSorted(byName)
}

const byName = (a: Escalation, b: Escalation): number => (key(a) < key(b) ? -1 : 1)
const key = ({ metadata }: Escalation): string => `${metadata.name}/${metadata.namespace}`

export const isReady = ({ status }: { status?: { conditions?: Parameters<typeof isTrue>[0] } }): boolean =>
  isTrue(status?.conditions, 'Ready')

/**
 * Those that say who decides on a session: its owner alone; where it has none, the one it names; and only where it names
 * none either, all for its cluster and group.
 */
export function escalationsOf<E extends Escalation>({ metadata, spec }: Session, escalations: readonly E[]): E[] {
  const owner = (metadata.ownerReferences ?? []).find(({ controller }) => controller)
  if (owner) return escalations.filter((escalation) => escalation.metadata.uid === owner.uid)
  return escalations
    .filter((escalation) => spec.escalation === undefined || spec.escalation === escalation.metadata.name)
    .filter((escalation) => leadsTo(escalation, spec))
    .toSorted(byName)
}

const leadsTo = (escalation: Escalation, { cluster, grantedGroup }: Session['spec']): boolean =>
  escalation.spec.escalatedGroup === grantedGroup && isForCluster(escalation, cluster)

/** Those of them by which it can be approved as they are now: an owner may have come to be about something else, or go. */
export const escalationsInForce = <E extends Escalation>(session: Session, escalations: readonly E[]): E[] =>
  escalationsOf(session, escalations).filter(
    (escalation) =>
      leadsTo(escalation, session.spec) && escalation.metadata.deletionTimestamp === undefined && isReady(escalation),
  )

/** Whose users may ask; empty: those of any. */
export const requestersProviders = ({ spec }: Escalation): readonly string[] =>
  nonEmpty(spec.allowedIdentityProvidersForRequests) ?? spec.allowedIdentityProviders ?? []

/** Whose users may approve; empty: those of any. */
export const approversProviders = ({ spec }: Escalation): readonly string[] =>
  nonEmpty(spec.allowedIdentityProvidersForApprovers) ?? spec.allowedIdentityProviders ?? []

export const isAmong = (allowed: readonly string[], name: string): boolean =>
  allowed.length === 0 || allowed.includes(name)

const nonEmpty = (list: readonly string[] | undefined): readonly string[] | undefined =>
  list && list.length > 0 ? list : undefined

/** How many must approve: as it was when it was asked for, and as it is. What was made by hand has no say in it alone. */
export const quorumOf = (session: Pick<Session, 'spec'>, escalations: readonly Pick<Escalation, 'spec'>[]): number =>
  Math.max(session.spec.minApprovals ?? 1, ...escalations.map(({ spec }) => spec.minApprovals ?? 1))
