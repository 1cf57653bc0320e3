import type { ManagedClusterAddOn } from '../../apis/addon/managed-cluster-addon.ts'
import type { Condition, ConditionReport } from '../../core/conditions.ts'
import { findCondition, removeCondition, setCondition } from '../../core/conditions.ts'
import { addonConditions } from '../../fleet/names.ts'
import type { Stored } from '../../kube/objects.ts'
import { reasons } from '../reasons.ts'
import type { Registration } from '../registrations.ts'
import type { AddonPlan, PlannedItem } from './plan.ts'
import { isDeclared } from './plan.ts'

/** What the agent has to say of an add-on. */
export interface AddonFacts {
  readonly plan: AddonPlan
  /** A sentence: what keeps the agent from carrying the plan out. */
  readonly trouble?: string | undefined
  /** Of its items, put together. */
  readonly conditions: readonly ConditionReport[]
  /** Whether every item has told how it stands: only then does a condition that nobody tells of belong to the past. */
  readonly isComplete: boolean
  /** Absent: the agent has nothing to say about the health of the add-on. */
  readonly health?: ConditionReport | undefined
  /** Whether what is wrong has been told before: it is not repeated over the words of another writer. */
  readonly hasToldTrouble: boolean
}

/** A merge patch of the status. */
export interface AddonStatusPatch {
  registrations?: Registration[]
  conditions?: Condition[]
}

/** What has to change on the hub; undefined when it has everything. */
export function addonStatusPatch(
  { status }: Stored<ManagedClusterAddOn>,
  facts: AddonFacts,
  now: Date,
): AddonStatusPatch | undefined {
  const undeclared = facts.plan.items.filter((planned) => !isDeclared(planned))
  const before = (status?.conditions ?? []) as Condition[]
  const after = [...facts.conditions, ...(facts.health ? [facts.health] : [])].reduce(
    (list, report) => setCondition(list, report, now),
    withVerdict(facts.isComplete ? withoutThePast(before, facts) : before, facts, now),
  )
  const patch = {
    ...(undeclared.length > 0 && { registrations: declared(status?.registrations ?? [], undeclared) }),
    ...(after !== before && { conditions: after }),
  }
  return Object.keys(patch).length > 0 ? patch : undefined
}

function declared(registrations: readonly Registration[], undeclared: readonly PlannedItem[]): Registration[] {
  const byIndex = new Map(undeclared.map(({ item, declaration }) => [item.index, declaration]))
  return registrations.map((registration, index) => {
    const declaration = byIndex.get(index)
    if (!declaration) return registration
    const { driver, subject } = declaration
    const said = structuredClone(subject) as { user?: string; groups?: string[]; organizationUnits?: string[] }
    if (registration.type === 'kubeClient')
      return { ...registration, kubeClient: { ...registration.kubeClient, ...(driver && { driver }), subject: said } }
    const { signerName = '' } = registration.customSigner ?? {}
    return { ...registration, customSigner: { signerName, subject: said } }
  })
}

const itemTypes: readonly string[] = [addonConditions.certificateRotated, ...addonConditions.tokenRefreshed]

/** Without what items said that are gone, as those of another driver. */
const withoutThePast = (list: Condition[], { conditions }: AddonFacts): Condition[] =>
  itemTypes
    .filter((type) => !conditions.some((report) => report.type === type))
    .reduce((rest, type) => removeCondition(rest, type), list)

const ownReasons: readonly string[] = [
  reasons.RegistrationDeclared,
  reasons.RegistrationRefused,
  reasons.RegistrationFailed,
]

/** Hubs of the field write the same condition about permissions: theirs stays, unless something is wrong. */
function withVerdict(list: Condition[], { plan, trouble, hasToldTrouble }: AddonFacts, now: Date): Condition[] {
  const type = addonConditions.registrationApplied
  const found = findCondition(list, type)
  const isOurs = found !== undefined && ownReasons.includes(found.reason)
  const message = troublesOf(plan, trouble)
  if (message !== '') {
    if (found && !isOurs && hasToldTrouble) return list
    const reason = plan.refused.length > 0 ? reasons.RegistrationRefused : reasons.RegistrationFailed
    return setCondition(list, { type, status: 'False', reason, message }, now)
  }
  if (plan.items.length === 0) return isOurs ? removeCondition(list, type) : list
  if (found && !isOurs) return list
  return setCondition(
    list,
    { type, status: 'True', reason: reasons.RegistrationDeclared, message: declaredMessage },
    now,
  )
}

const declaredMessage = 'The agent has declared how the add-on comes to its credentials.'

/** What is wrong with the registrations of an add-on; '' for nothing. */
export const troublesOf = ({ refused }: AddonPlan, trouble: string | undefined): string =>
  [...refused, ...(trouble === undefined ? [] : [trouble])].join('; ')
