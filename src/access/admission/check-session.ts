/**
 * What must be so of a session that somebody makes by hand: it gets them no more than the API of the hub would. But that
 * it may hold for users of every issuer, where the escalation is for them too.
 */
import type { BreakglassSession, SessionSpec } from '../../apis/breakglass/breakglass-session.ts'
import type { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import type { IdentityProvider } from '../../apis/breakglass/identity-provider.ts'
import { issuerOf } from '../../fleet/identity/index.ts'
import type { Mistake } from '../../fleet/mistake.ts'
import { mistake } from '../../fleet/mistake.ts'
import type { Stored } from '../../kube/objects.ts'
import { durationOr, parseDuration } from '../duration.ts'
import { sessionLabels } from '../names.ts'
import type { Escalation, Session } from '../sessions/contract.ts'
import { isForCluster, isReady, requestersProviders } from '../sessions/matching.ts'
import { isOfSlot, slotOf } from '../sessions/slot.ts'
import { isLive } from '../sessions/standing.ts'
import { timeOf } from '../sessions/times.ts'
import { durationProblem, mistakeOf, nameProblem, wordProblem } from './fields.ts'

const leastAheadMs = 300_000
const standard = { maxValidFor: 3_600_000, retainFor: 2_592_000_000 } as const

/** As far as that can be said without asking anybody. `slackMs`: what may have passed since it was decided on. */
export function sessionMistakes({ metadata, spec }: BreakglassSession, now: Date, slackMs = 0): Mistake[] {
  const label = metadata?.labels?.[sessionLabels.slot]
  return [
    ...mistakeOf('spec.cluster', spec.cluster, nameProblem),
    ...(['user', 'grantedGroup'] as const).flatMap((field) =>
      mistakeOf(`spec.${field}`, spec[field], (text) =>
        /\p{Cc}/u.test(text) ? 'must not hold control characters' : wordProblem(text),
      ),
    ),
    ...(['maxValidFor', 'idleTimeout', 'retainFor'] as const).flatMap((field) =>
      mistakeOf(`spec.${field}`, spec[field], durationProblem),
    ),
    ...scheduleMistakes(spec, now, slackMs),
    ...(spec.clusterConfigRef === undefined || spec.clusterConfigRef === spec.cluster
      ? []
      : [mistake('spec.clusterConfigRef', `must be ${spec.cluster}, as spec.cluster, or be left out`)]),
    ...(label === undefined || label === slotOf(spec)
      ? []
      : [mistake(`metadata.labels[${sessionLabels.slot}]`, 'is not that of the session; leave it to the hub', label)]),
  ]
}

function scheduleMistakes({ scheduledStartTime }: SessionSpec, now: Date, slackMs: number): Mistake[] {
  if (scheduledStartTime === undefined) return []
  const startsAt = timeOf(scheduledStartTime)
  if (startsAt && startsAt.getTime() - now.getTime() >= leastAheadMs - slackMs) return []
  return [mistake('spec.scheduledStartTime', 'must be at least 5 minutes from now', scheduledStartTime)]
}

export interface SessionFacts {
  /** All of the name of the cluster. */
  readonly clusters: readonly (Pick<Stored<ClusterConfig>, 'metadata'> & Partial<Pick<ClusterConfig, 'spec'>>)[]
  readonly escalations: readonly Escalation[]
  /** Of the same cluster, user and group; more do no harm. */
  readonly sessions: readonly Session[]
  readonly providers: readonly Stored<IdentityProvider>[]
  readonly now: Date
}

/** Of every one, whoever makes it, the hub too: a way into what nobody may ask for would be nobody's decision. */
export function leadsNowhereMistakes(
  session: BreakglassSession,
  { clusters, escalations }: Pick<SessionFacts, 'clusters' | 'escalations'>,
): Mistake[] {
  const { spec } = session
  const [config, another] = clusters
  if (!config || config.metadata.deletionTimestamp)
    return [mistake('spec.cluster', `there is no ClusterConfig ${spec.cluster}`)]
  if (another)
    return [mistake('spec.cluster', `more than one ClusterConfig is called ${spec.cluster}; keep one of them`)]
  if (possibleFor(session, escalations).length > 0) return []
  return [mistake('spec.grantedGroup', `no escalation that is Ready leads to ${spec.grantedGroup} on ${spec.cluster}`)]
}

/** Of one that the hub did not make itself, and that leads somewhere. */
export function madeByHandMistakes(session: BreakglassSession, facts: SessionFacts): Mistake[] {
  const { spec } = session
  const [config] = facts.clusters
  const rival = facts.sessions.find((one) => isOfSlot(one.spec, spec) && isLive(one, facts.now))
  if (rival) return [mistake('spec', 'another session of the same cluster, user and group lives already')]
  const claims = [...requesterMistakes(spec), ...providerMistakes(spec, facts.providers)]
  if (claims.length > 0) return claims
  const wrong = possibleFor(session, facts.escalations).map((escalation) =>
    excessOf(spec, escalation, config?.spec?.identityProviderRefs ?? []),
  )
  return wrong.find(({ length }) => length === 0) ?? wrong[0] ?? []
}

const possibleFor = (session: BreakglassSession, escalations: readonly Escalation[]): Escalation[] =>
  escalations.filter((escalation) => isFor(session.spec, escalation) && isOwnerOf(escalation, session))

const isFor = (spec: SessionSpec, escalation: Escalation): boolean =>
  escalation.spec.escalatedGroup === spec.grantedGroup &&
  isForCluster(escalation, spec.cluster) &&
  escalation.metadata.deletionTimestamp === undefined &&
  (spec.escalation === undefined || spec.escalation === escalation.metadata.name) &&
  isReady(escalation)

/** A session that claims an owner is decided on by that one alone. */
const isOwnerOf = ({ metadata }: Escalation, session: BreakglassSession): boolean =>
  controllersOf(session).every((uid) => uid === metadata.uid)

export const controllersOf = ({ metadata }: BreakglassSession): string[] =>
  (metadata?.ownerReferences ?? []).filter(({ controller }) => controller).map(({ uid }) => uid)

/** What their token had, and here there was none. */
const requesterMistakes = ({ requestedBy }: SessionSpec): Mistake[] =>
  requestedBy ? [mistake('spec.requestedBy', 'is for the hub to write; leave it out')] : []

/** Who is said to vouch for the user must be somebody who does. */
function providerMistakes(
  { identityProviderName: name, identityProviderIssuer: issuer }: SessionSpec,
  providers: readonly Stored<IdentityProvider>[],
): Mistake[] {
  const named = providers.filter(({ metadata }) => name === undefined || metadata.name === name)
  if (name !== undefined && named.length === 0)
    return [mistake('spec.identityProviderName', `there is no IdentityProvider ${name}`)]
  if (issuer === undefined || named.some(({ spec }) => spec && issuerOf(spec) === issuer)) return []
  return [mistake('spec.identityProviderIssuer', `is not that of ${name ?? 'any IdentityProvider'}`, issuer)]
}

/** What a session takes beyond what its escalation gives. The answer shows nothing of the escalation: its reader may have no right to read it. */
function excessOf(spec: SessionSpec, escalation: Escalation, clustersProviders: readonly string[]): Mistake[] {
  const { spec: given } = escalation
  const mistakes: Mistake[] = []
  const wrong = (field: string, problem: string) =>
    mistakes.push(mistake(`spec.${field}`, `${problem}, as the escalation has it`))
  const most = durationOr(given.maxValidFor, standard.maxValidFor)
  if (durationOr(spec.maxValidFor, standard.maxValidFor) > most) wrong('maxValidFor', 'must be shorter')
  if (given.idleTimeout !== undefined && !isWithin(spec.idleTimeout, given.idleTimeout))
    wrong('idleTimeout', 'must be given and shorter')
  if (durationOr(spec.retainFor, standard.retainFor) < durationOr(given.retainFor, standard.retainFor))
    wrong('retainFor', 'must be longer')
  if ((spec.minApprovals ?? 1) < (given.minApprovals ?? 1)) wrong('minApprovals', 'must be more')
  if ((given.denyPolicyRefs ?? []).some((policy) => !spec.denyPolicyRefs?.includes(policy)))
    wrong('denyPolicyRefs', 'must hold more policies')
  if (given.approvalReason?.mandatory && !spec.approvalReasonConfig?.mandatory)
    wrong('approvalReasonConfig.mandatory', 'must be true')
  if (given.requestReason?.mandatory && !spec.requestReason?.trim()) wrong('requestReason', 'is required')
  if (spec.emergency) mistakes.push(mistake('spec.emergency', 'is asked for at the API of the hub, not here'))
  if (spec.allowIDPMismatch && requestersProviders(escalation).length > 0) wrong('allowIDPMismatch', 'must not be true')
  else if (spec.allowIDPMismatch && clustersProviders.length > 0)
    mistakes.push(mistake('spec.allowIDPMismatch', 'must not be true: the ClusterConfig names its identity providers'))
  return mistakes
}

const isWithin = (asked: string | undefined, most: string): boolean =>
  asked !== undefined && (parseDuration(asked) ?? Number.POSITIVE_INFINITY) <= (parseDuration(most) ?? 0)
