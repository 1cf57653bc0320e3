/**
 * What an escalation gives away, and whether who writes it may: as RBAC has it for roles. `escalate` on escalations lets
 * somebody write any; `bind` on `escalatedgroups`, a resource that only access reviews know, this group on this cluster.
 */
import { isDeepStrictEqual } from 'node:util'
import type { EscalationSpec } from '../../apis/breakglass/breakglass-escalation.ts'
import { BreakglassEscalation } from '../../apis/breakglass/breakglass-escalation.ts'
import type { Requester, Right } from '../../fleet/access-review.ts'
import { hasRight, sentenceOf } from '../../fleet/access-review.ts'
import type { Verdict } from '../../fleet/admission.ts'
import { allowed, forbidden } from '../../fleet/admission.ts'
import type { Asked } from '../../fleet/secret-rights.ts'
import { decideRights, grant } from '../../fleet/secret-rights.ts'
import type { Kube } from '../../kube/kube.ts'
import { durationOr } from '../duration.ts'
import { defaults } from '../sessions/beginning.ts'
import { fitsAny } from '../sessions/glob.ts'
import { clusterFields } from './escalation-refs.ts'

const { group } = BreakglassEscalation.resource

const escalate = (namespace: string): Right => ({
  verb: 'escalate',
  group,
  resource: BreakglassEscalation.resource.plural,
  name: '',
  namespace,
})

/** In the namespace that the hub has, or would have, for the cluster: its name never comes to mean another one. */
const bind = (escalatedGroup: string, cluster: string): Right => ({
  verb: 'bind',
  group,
  resource: 'escalatedgroups',
  name: escalatedGroup,
  namespace: cluster,
})

/** Of Kubernetes itself: `system:masters` is everything, and what the others may comes and goes with its versions. */
export const isSystemGroup = ({ escalatedGroup }: EscalationSpec): boolean =>
  escalatedGroup?.startsWith('system:') === true

/** Whether the requester may give away what this write adds. Throws where that cannot be asked, which refuses it. */
export async function decideGiving(
  kube: Kube,
  requester: Requester,
  { spec, old, namespace }: { spec: EscalationSpec; old: EscalationSpec | undefined; namespace: string },
  signal: AbortSignal,
): Promise<Verdict> {
  const adds = old === undefined || givesMore(spec, old)
  const before = old && !adds ? clusterFields(old).map(([, name]) => name) : []
  const added = clusterFields(spec).filter(([, name]) => !fitsAny(before, name))
  const ofSystem = isSystemGroup(spec) && (adds || added.length > 0)
  if (!ofSystem && added.length === 0) return allowed
  if (await hasRight(kube, requester, escalate(namespace), signal)) return allowed
  const { escalatedGroup = '' } = spec
  if (ofSystem) return forbids(requester, 'spec.escalatedGroup', namespace, 'a group of Kubernetes itself')
  const pattern = added.find(([, name]) => name.includes('*'))
  if (pattern) return forbids(requester, pattern[0], namespace, 'a cluster with *')
  const wanted = added.map(
    ([field, cluster]): Asked => ({
      field,
      right: bind(escalatedGroup, cluster),
      because: `by which they would give the rights of that group on that cluster away; ${grant}`,
    }),
  )
  return decideRights(kube, requester, wanted, signal)
}

const forbids = ({ username }: Requester, field: string, namespace: string, what: string): Verdict => {
  const right = sentenceOf(escalate(namespace))
  return forbidden(
    `${field}: user ${JSON.stringify(username ?? '')} lacks the right ${right}, which ${what} needs; ${grant}`,
  )
}

type Rest = Omit<EscalationSpec, 'clusterConfigRefs'>
type Gives<F extends keyof Rest> = (now: Rest[F], before: Rest[F]) => boolean
type Words = readonly string[] | undefined

const hasNew = (now: Words = [], before: Words = []): boolean => now.some((word) => !before.includes(word))
/** Of a list that keeps all others out, and nobody where it is empty. */
const letsMoreIn = (now: Words = [], before: Words = []): boolean =>
  before.length > 0 && (now.length === 0 || hasNew(now, before))
const isOn = (flag: boolean | undefined): number => (flag === true ? 1 : 0)
const never = () => false
const whenChanged = (now: unknown, before: unknown) => !isDeepStrictEqual(now, before)

/** Of each field but the clusters, whether a change of it gives somebody more: to whom, on whose word, for how long. */
const gives: { readonly [F in keyof Required<Rest>]: Gives<F> } = {
  allowed: (now, before) => hasNew(now?.groups, before?.groups),
  escalatedGroup: whenChanged,
  approvers: (now, before) => hasNew(now?.users, before?.users) || hasNew(now?.groups, before?.groups),
  minApprovals: (now = 1, before = 1) => now < before,
  blockSelfApproval: (now, before) => isOn(now) < isOn(before) || (now === false && before === undefined),
  // Where none are given those of the cluster count, which may be fewer.
  allowedApproverDomains: (now = [], before = []) => (before.length === 0 ? now.length > 0 : letsMoreIn(now, before)),
  allowedIdentityProviders: letsMoreIn,
  allowedIdentityProvidersForRequests: letsMoreIn,
  allowedIdentityProvidersForApprovers: letsMoreIn,
  requestReason: (now, before) => isOn(now?.mandatory) < isOn(before?.mandatory),
  approvalReason: (now, before) => isOn(now?.mandatory) < isOn(before?.mandatory),
  maxValidFor: (now, before) => durationOr(now, defaults.maxValidForMs) > durationOr(before, defaults.maxValidForMs),
  maxExtensions: (now = 1, before = 1) => now > before,
  idleTimeout: (now, before) =>
    durationOr(now, Number.POSITIVE_INFINITY) > durationOr(before, Number.POSITIVE_INFINITY),
  emergencyBypass: whenChanged,
  denyPolicyRefs: (now, before) => hasNew(before, now),
  podSecurityOverrides: whenChanged,
  sessionLimitsOverride: whenChanged,
  approvalTimeout: never,
  retainFor: never,
  mailProvider: never,
  disableNotifications: never,
  notificationExclusions: never,
}

const givesMore = (now: EscalationSpec, before: EscalationSpec): boolean =>
  (Object.keys(gives) as (keyof Rest)[]).some(<F extends keyof Rest>(field: F) =>
    (gives[field] as Gives<F>)(now[field], before[field]),
  )

/** Whether who asks might be who approves. `blocks`: whether the ClusterConfig of this name keeps them from it. */
export function allowsSelfApproval(spec: EscalationSpec, blocks: (cluster: string) => boolean): boolean {
  const { blockSelfApproval, minApprovals = 1, allowed: asking } = spec
  if (blockSelfApproval === true || minApprovals > 1 || (asking.groups ?? []).length === 0) return false
  const clusters = clusterFields(spec).map(([, name]) => name)
  return blockSelfApproval === false
    ? clusters.length > 0
    : clusters.some((name) => name.includes('*') || !blocks(name))
}
