import { isDeepStrictEqual } from 'node:util'
import { BreakglassEscalation } from '../../apis/breakglass/breakglass-escalation.ts'
import { BreakglassSession } from '../../apis/breakglass/breakglass-session.ts'
import { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import { IdentityProvider } from '../../apis/breakglass/identity-provider.ts'
import type { AdmissionRequest, Verdict } from '../../fleet/admission.ts'
import { allowed, badRequest, forbidden } from '../../fleet/admission.ts'
import { sentenceOf } from '../../fleet/mistake.ts'
import type { Kube } from '../../kube/kube.ts'
import { sessionAnnotations } from '../names.ts'
import type { SessionFacts } from './check-session.ts'
import { leadsNowhereMistakes, madeByHandMistakes, sessionMistakes } from './check-session.ts'
import { statusMistakes } from './check-session-status.ts'
import { decideChange, decideDeletion } from './decide-session-change.ts'
import type { IsOwnUser } from './own-user.ts'

export interface DecideSessionDeps {
  kube: Kube
  clock: { now(): Date }
  isOwnUser: IsOwnUser
}

/** Between the decision of the hub to make a session and the question whether it may. */
const ownSlackMs = 30_000

export async function decideSession(
  deps: DecideSessionDeps,
  request: AdmissionRequest<BreakglassSession>,
  signal: AbortSignal,
): Promise<Verdict> {
  const { object, oldObject, subResource, operation } = request
  if (operation === 'DELETE')
    return oldObject ? decideDeletion(deps.isOwnUser, oldObject, request, deps.clock.now()) : allowed
  if (!object) return allowed
  if (subResource === 'status') return decideStatus(deps, request)
  return oldObject ? decideChange(deps.isOwnUser, object, oldObject, request) : decideNew(deps, object, request, signal)
}

async function decideStatus(
  { isOwnUser }: DecideSessionDeps,
  { object, oldObject, userInfo }: AdmissionRequest<BreakglassSession>,
): Promise<Verdict> {
  if (!object || !oldObject) return allowed
  if (isDeepStrictEqual(object.status, oldObject.status)) return allowed
  const wrong = sentenceOf(statusMistakes(object, oldObject))
  if (wrong) return badRequest(wrong)
  if (await isOwnUser(userInfo.username)) return allowed
  return forbidden('status: only the hub itself writes it; decide on the session at the API of the hub')
}

async function decideNew(
  deps: DecideSessionDeps,
  object: BreakglassSession,
  { userInfo }: AdmissionRequest<BreakglassSession>,
  signal: AbortSignal,
): Promise<Verdict> {
  const isOwn = await deps.isOwnUser(userInfo.username)
  const wrong = sentenceOf(sessionMistakes(object, deps.clock.now(), isOwn ? ownSlackMs : 0))
  if (wrong) return badRequest(wrong)
  const led = await leadingTo(deps.kube, object, signal)
  const astray = sentenceOf(leadsNowhereMistakes(object, led))
  if (astray) return badRequest(astray)
  // The hub has looked at the rest, and at more, before it makes one.
  if (isOwn) return allowed
  if (object.metadata?.annotations?.[sessionAnnotations.createdBy] !== userInfo.username)
    return forbidden(
      `metadata.annotations[${sessionAnnotations.createdBy}]: must be whoever makes it, as the hub writes it`,
    )
  const excess = sentenceOf(madeByHandMistakes(object, { ...led, ...(await othersOf(deps, object, signal)) }))
  return excess ? badRequest(excess) : allowed
}

async function leadingTo(
  kube: Kube,
  { spec: { cluster, escalation } }: BreakglassSession,
  signal: AbortSignal,
): Promise<Pick<SessionFacts, 'clusters' | 'escalations'>> {
  const called = (name: string) => ({ fieldSelector: `metadata.name=${name}` })
  const [configs, escalations] = await Promise.all([
    kube.of(ClusterConfig.resource).list({ ...called(cluster), signal }),
    kube.of(BreakglassEscalation.resource).list({ ...(escalation !== undefined && called(escalation)), signal }),
  ])
  // Compared here as well: an API server may not know the selector.
  return {
    clusters: configs.items.filter(({ metadata }) => metadata.name === cluster),
    escalations: escalations.items,
  }
}

async function othersOf(
  { kube, clock }: DecideSessionDeps,
  { spec }: BreakglassSession,
  signal: AbortSignal,
): Promise<Pick<SessionFacts, 'sessions' | 'providers' | 'now'>> {
  const isVouchedFor = spec.identityProviderName !== undefined || spec.identityProviderIssuer !== undefined
  const [sessions, providers] = await Promise.all([
    kube.of(BreakglassSession.resource).list({ fieldSelector: `spec.cluster=${spec.cluster}`, signal }),
    isVouchedFor ? kube.of(IdentityProvider.resource).list({ signal }) : { items: [] },
  ])
  return { sessions: sessions.items, providers: providers.items, now: clock.now() }
}
