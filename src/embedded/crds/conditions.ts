import type { Condition, Definition } from './definition.ts'

export type Finding = Omit<Condition, 'lastTransitionTime'>

/** With this condition in place of the one of its type, at the time of its last change of status. */
export function withCondition(conditions: readonly Condition[], finding: Finding, now: string): Condition[] {
  const { type, status, ...rest } = finding
  const before = conditions.find((condition) => condition.type === type)
  const lastTransitionTime = before?.status === status ? (before.lastTransitionTime ?? now) : now
  const next: Condition = { type, status, lastTransitionTime, ...rest }
  return before ? conditions.map((condition) => (condition === before ? next : condition)) : [...conditions, next]
}

export const conditionsOf = ({ status }: Definition): Condition[] => status?.conditions ?? []

export const terminating = {
  pending: {
    type: 'Terminating',
    status: 'True',
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  },
  inProgress: {
    type: 'Terminating',
    status: 'True',
    reason: 'InstanceDeletionInProgress',
    message: 'CustomResource deletion is in progress',
  },
  completed: {
    type: 'Terminating',
    status: 'False',
    reason: 'InstanceDeletionCompleted',
    message: 'removed all instances',
  },
} as const satisfies Record<string, Finding>
