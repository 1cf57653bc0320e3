import type { BreakglassEscalation, EscalationSpec } from '../../apis/breakglass/breakglass-escalation.ts'
import { domainProblem } from '../../fleet/field-problems.ts'
import type { Mistake } from '../../fleet/mistake.ts'
import { mistake } from '../../fleet/mistake.ts'
import type { AccessSettings } from '../settings.ts'
import { durationMistakes } from './check-durations.ts'
import { clusterPatternProblem, eachMistake, nameProblem, wordProblem } from './fields.ts'

export type EscalationSettings = Pick<AccessSettings, 'authorizedTtlMs'>

/** What is wrong with an escalation, as far as that can be said without asking anybody. */
export const escalationMistakes = ({ spec }: BreakglassEscalation, settings: EscalationSettings): Mistake[] => [
  ...groupMistakes(spec),
  ...eachMistake('spec.allowed.clusters', spec.allowed.clusters, clusterPatternProblem),
  ...eachMistake('spec.allowed.groups', spec.allowed.groups, wordProblem),
  ...eachMistake('spec.clusterConfigRefs', spec.clusterConfigRefs, clusterPatternProblem),
  ...approverMistakes(spec),
  ...selfApprovalMistakes(spec),
  ...eachMistake('spec.allowedApproverDomains', spec.allowedApproverDomains, domainProblem),
  ...providerListMistakes(spec),
  ...durationMistakes(spec, settings),
  ...eachMistake('spec.denyPolicyRefs', spec.denyPolicyRefs, nameProblem),
  ...limitMistakes(spec),
  ...emergencyMistakes(spec),
]

/** By name alone: whoever speaks of an escalation gives no namespace. */
export function escalationNameTaken(
  { name, namespace }: { name?: string | undefined; namespace?: string | undefined },
  others: readonly { metadata: { name: string; namespace?: string } }[],
): Mistake[] {
  // Compared here as well: an API server may not know the selector.
  const other = others.find(({ metadata }) => metadata.name === name && metadata.namespace !== namespace)
  if (!other) return []
  return [
    mistake(
      'metadata.name',
      `another namespace has a BreakglassEscalation ${name} already, and names are unique over all namespaces; choose another one`,
    ),
  ]
}

const groupMistakes = ({ escalatedGroup }: EscalationSpec): Mistake[] =>
  escalatedGroup === undefined
    ? [mistake('spec.escalatedGroup', 'is required: the group whose rights a session grants')]
    : []

function approverMistakes({ approvers = {}, minApprovals = 1 }: EscalationSpec): Mistake[] {
  const { users = [], groups = [], hiddenFromUI } = approvers
  const words = [
    ...eachMistake('spec.approvers.users', users, wordProblem),
    ...eachMistake('spec.approvers.groups', groups, wordProblem),
    ...eachMistake('spec.approvers.hiddenFromUI', hiddenFromUI, wordProblem),
  ]
  if (users.length + groups.length === 0)
    return [...words, mistake('spec.approvers', 'must name at least one user or one group')]
  const people = new Set(users.map((user) => user.toLowerCase()))
  if (groups.length > 0 || people.size >= minApprovals) return words
  return [
    ...words,
    mistake('spec.minApprovals', `is ${minApprovals}, but spec.approvers names ${people.size} people and no group`, [
      ...people,
    ]),
  ]
}

/** Whoever has got the rights must not be able to hand them to others by that. */
function selfApprovalMistakes({ blockSelfApproval, approvers = {}, escalatedGroup }: EscalationSpec): Mistake[] {
  if (blockSelfApproval !== true) return []
  const { groups = [], hiddenFromUI = [] } = approvers
  const mistakes: Mistake[] = []
  if (groups.length === 0)
    mistakes.push(
      mistake('spec.approvers.groups', 'must name a group with blockSelfApproval, so that others can approve'),
    )
  if (escalatedGroup !== undefined && [...groups, ...hiddenFromUI].includes(escalatedGroup))
    mistakes.push(
      mistake('spec.escalatedGroup', 'must not be a group of approvers with blockSelfApproval', escalatedGroup),
    )
  return mistakes
}

const given = (list: readonly string[] | undefined): boolean => (list?.length ?? 0) > 0

function providerListMistakes(spec: EscalationSpec): Mistake[] {
  const { allowedIdentityProviders, allowedIdentityProvidersForRequests, allowedIdentityProvidersForApprovers } = spec
  const requests = given(allowedIdentityProvidersForRequests)
  const approvers = given(allowedIdentityProvidersForApprovers)
  const at = 'spec.allowedIdentityProviders'
  if (given(allowedIdentityProviders) && (requests || approvers))
    return [mistake(at, `and ${at}ForRequests or ${at}ForApprovers are mutually exclusive`, [requests, approvers])]
  if (requests === approvers) return []
  const [missing, there] = requests ? ['ForApprovers', 'ForRequests'] : ['ForRequests', 'ForApprovers']
  return [mistake(`${at}${missing}`, `is required with ${at}${there}; or say ${at} for both`)]
}

function limitMistakes({ sessionLimitsOverride: limits }: EscalationSpec): Mistake[] {
  if (!limits?.unlimited) return []
  const { maxActiveSessionsPerUser, maxActiveSessionsTotal } = limits
  if (maxActiveSessionsPerUser === undefined && maxActiveSessionsTotal === undefined) return []
  return [mistake('spec.sessionLimitsOverride.unlimited', 'and a limit are mutually exclusive; leave one out', limits)]
}

const emergencyMistakes = ({ emergencyBypass, disableNotifications }: EscalationSpec): Mistake[] =>
  emergencyBypass?.enabled && disableNotifications
    ? [
        mistake(
          'spec.disableNotifications',
          'must not be true with emergencyBypass.enabled: approvers are told of access that they did not approve',
        ),
      ]
    : []
