import type { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import type { Failure } from '../../core/failure.ts'
import type { Stored } from '../../kube/objects.ts'
import type { Person } from '../people/contract.ts'
import type { AccessSettings } from '../settings.ts'
import type { Escalation, RequestFacts, Wish } from './contract.ts'
import { failures } from './failures.ts'
import { isAmong, isReady, matchingEscalations, requestersProviders } from './matching.ts'
import { hasIdentity, isCalled } from './persons.ts'
import { whyNotReason } from './words-given.ts'

/** A request that may be made: under which escalation, for which cluster, and as whom there. */
export interface Permitted {
  readonly escalation: Escalation
  readonly cluster: Stored<ClusterConfig>
  readonly user: string
}

export type RequestSettings = Pick<AccessSettings, 'userIdentifierClaim' | 'oidcPrefixes'>

/** Whether somebody may ask for this at all. The first thing that is wrong is told. */
export function permit(
  wish: Wish,
  facts: RequestFacts,
  settings: RequestSettings,
): Permitted | { readonly refused: Failure } {
  const wrong = whyNotAsked(wish, facts.person)
  if (wrong) return { refused: wrong }
  const found = escalationFor(wish, facts, settings)
  if ('refused' in found) return found
  const { escalation, cluster } = found
  const { requestReason } = escalation.spec
  const isMandatory = wish.emergency === true || requestReason?.mandatory === true
  const unreasoned = whyNotReason(wish.reason, requestReason, isMandatory)
  if (unreasoned) return { refused: unreasoned }
  const claim = cluster.spec.userIdentifierClaim ?? settings.userIdentifierClaim
  const user = claimed(facts.person, claim)
  if (!user) return { refused: failures.ACCESS_CLAIM_MISSING({ cluster: wish.cluster, claim }) }
  return { escalation, cluster, user }
}

function whyNotAsked({ user, cluster, group, reason }: Wish, person: Person): Failure | undefined {
  if (!hasIdentity(person)) return failures.ACCESS_NO_IDENTITY()
  if (user !== undefined && user !== '' && !isCalled(person, user)) return failures.ACCESS_OTHER_USER({ user })
  if (cluster === '') return failures.ACCESS_FIELD_MISSING({ field: 'cluster' })
  if (group === '') return failures.ACCESS_FIELD_MISSING({ field: 'group' })
  return whyNotReason(reason, undefined)
}

function escalationFor(
  { cluster: name, group, emergency }: Wish,
  { person, clusters, escalations }: RequestFacts,
  { oidcPrefixes }: RequestSettings,
): { escalation: Escalation; cluster: Stored<ClusterConfig> } | { refused: Failure } {
  const asked = { cluster: name, group }
  const prefixes = person.amongProviders?.groupPrefixes ?? oidcPrefixes
  const matching = matchingEscalations(person.groups, name, escalations, prefixes).filter(
    ({ spec }) => spec.escalatedGroup === group,
  )
  const [first] = matching
  if (!first) return { refused: failures.ACCESS_NO_ESCALATION(asked) }
  const ready = matching.filter(isReady)
  if (ready.length === 0) return { refused: failures.ACCESS_ESCALATION_NOT_READY({ escalation: first.metadata.name }) }
  const wrong = whyNotCluster(name, clusters)
  const [cluster] = clusters
  if (wrong || !cluster) return { refused: wrong ?? failures.ACCESS_CLUSTER_UNKNOWN(asked) }
  const { identityProvider } = person
  const open = ready.filter((escalation) => isAmong(requestersProviders(escalation), identityProvider))
  if (open.length === 0 || !isAmong(cluster.spec.identityProviderRefs ?? [], identityProvider))
    return { refused: failures.ACCESS_PROVIDER_NOT_ALLOWED(asked) }
  const [escalation] = emergency ? open.filter(({ spec }) => spec.emergencyBypass?.enabled === true) : open
  return escalation ? { escalation, cluster } : { refused: failures.ACCESS_EMERGENCY_OFF(asked) }
}

function whyNotCluster(cluster: string, [found, ...more]: readonly Stored<ClusterConfig>[]): Failure | undefined {
  if (!found) return failures.ACCESS_CLUSTER_UNKNOWN({ cluster })
  if (more.length > 0) return failures.ACCESS_CLUSTER_NOT_UNIQUE({ cluster })
  if (found.metadata.deletionTimestamp !== undefined) return failures.ACCESS_CLUSTER_LEAVING({ cluster })
  return isReady(found) ? undefined : failures.ACCESS_CLUSTER_NOT_READY({ cluster })
}

const claimed = ({ email, username, subject }: Person, claim: AccessSettings['userIdentifierClaim']) =>
  ({ email, preferred_username: username, sub: subject })[claim]
