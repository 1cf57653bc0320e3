import { isDeepStrictEqual } from 'node:util'
import { BreakglassEscalation } from '../../apis/breakglass/breakglass-escalation.ts'
import type { Condition } from '../../core/conditions.ts'
import { findCondition, setCondition } from '../../core/conditions.ts'
import { done } from '../../core/outcome.ts'
import type { Controller } from '../../kube/controller.ts'
import { controller } from '../../kube/controller.ts'
import { isNotFound } from '../../kube/failures.ts'
import type { Stored } from '../../kube/objects.ts'
import { keyOf } from '../../kube/objects.ts'
import { changesOf, watching } from '../../kube/watching.ts'
import type { AccessHubDeps } from '../hub/deps.ts'
import type { AccessView } from '../view.ts'
import type { GroupAnswers } from './answers.ts'
import type { Membership } from './decide.ts'
import { groupsOf, mayApproveBy, membershipOf, membersResolved, syncsGroups } from './decide.ts'
import { reasons } from './reasons.ts'

export interface EscalationSyncDeps extends AccessHubDeps {
  view: AccessView
  answers: GroupAnswers
}

/** Writes into the status of each escalation who is in its groups of approvers, from what providers said. */
export function escalationMembersController(deps: EscalationSyncDeps): Controller {
  const { view, answers, spokeView } = deps
  return controller(
    'approver-groups',
    async (key, { signal }) => {
      const escalation = view.escalations.get(key)
      if (!escalation || escalation.metadata.deletionTimestamp) return done
      const providers = spokeView.providers
        .list()
        .filter((provider) => syncsGroups(provider) && mayApproveBy(escalation.spec, provider.metadata.name))
        .map(({ metadata }) => metadata.name)
        .sort()
      // Where nobody is asked, whoever else keeps the members there is let alone.
      if (providers.length === 0 && !isOurs(escalation)) return done
      const membership = membershipOf(escalation, providers, (provider, group) => answers.get(provider, group))
      await write(escalation, membership, deps, signal)
      return done
    },
    {
      ...deps,
      watches: [
        watching(view.escalations, keyOf, {
          when: changesOf(({ metadata, status }) => [metadata.generation, membersIn(status)]),
        }),
        watching(spokeView.providers, () => view.escalations.list().map(keyOf), {
          when: changesOf(({ metadata }) => [metadata.generation, metadata.deletionTimestamp]),
        }),
      ],
    },
  )
}

const isOurs = ({ status }: BreakglassEscalation): boolean =>
  Object.keys(status?.idpGroupMemberships ?? {}).length > 0 ||
  findCondition(status?.conditions as Condition[] | undefined, membersResolved) !== undefined

type Status = NonNullable<BreakglassEscalation['status']>

const membersIn = (status: Status | undefined) => [
  status?.approverGroupMembers ?? {},
  status?.idpGroupMemberships ?? {},
]

async function write(
  escalation: Stored<BreakglassEscalation>,
  { approverGroupMembers, idpGroupMemberships, condition }: Membership,
  { kube, clock, events }: EscalationSyncDeps,
  signal: AbortSignal,
): Promise<void> {
  const { name, namespace, uid, generation: observedGeneration = 0 } = escalation.metadata
  const before = findCondition(escalation.status?.conditions as Condition[] | undefined, membersResolved)
  const known = before && [before]
  // Whoever begins to lead has heard nothing yet: what was said before holds until then.
  const isPending = condition?.reason === reasons.GroupSyncPending
  const conditions =
    isPending && known ? known : condition && setCondition(known, { ...condition, observedGeneration }, clock.now())
  const isSame = isDeepStrictEqual(membersIn(escalation.status), [approverGroupMembers, idpGroupMemberships])
  if (isSame && (conditions ? conditions === known : !before)) return
  const others = (escalation.status?.conditions ?? []).filter(({ type }) => type !== membersResolved)
  const status = {
    approverGroupMembers: replacing(escalation.status?.approverGroupMembers, approverGroupMembers),
    idpGroupMemberships: replacing(escalation.status?.idpGroupMemberships, idpGroupMemberships),
    conditions: [...others, ...(conditions ?? [])],
  }
  // Guarded by the version: what others say of the escalation stays. To apply it would leave what they have touched since.
  const body = { metadata: { uid, resourceVersion: escalation.metadata.resourceVersion }, status }
  try {
    const collection = kube.of(BreakglassEscalation.resource, namespace)
    await collection.patch(name, { type: 'merge', body }, { subresource: 'status', signal })
  } catch (error) {
    if (isNotFound(error)) return
    throw error
  }
  if (!condition || condition.status === 'Unknown' || before?.reason === condition.reason) return
  const type = condition.status === 'True' ? 'Normal' : 'Warning'
  const { reason, message } = condition
  if (groupsOf(escalation).length > 0)
    events.record(BreakglassEscalation.resource, escalation, { type, reason, message })
}

/** As a merge patch: what is no longer there goes. */
function replacing(before: object | undefined, wanted: object): object {
  const gone = Object.keys(before ?? {}).filter((key) => !Object.hasOwn(wanted, key))
  const parts = Object.entries(wanted).map(([key, value]: [string, unknown]) => {
    const old = (before as Record<string, unknown> | undefined)?.[key]
    return [key, isMap(value) ? replacing(isMap(old) ? old : undefined, value) : value] as const
  })
  return Object.fromEntries([...gone.map((key) => [key, null] as const), ...parts])
}

const isMap = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value)
