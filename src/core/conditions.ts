import type { Reason } from './reason.ts'

export type ConditionStatus = 'True' | 'False' | 'Unknown'

/** A condition as it is on the wire. */
export interface Condition {
  type: string
  status: ConditionStatus
  reason: string
  message: string
  /** When `status` last changed, RFC 3339 in whole seconds. */
  lastTransitionTime: string
  /** The generation of the object that this speaks of. */
  observedGeneration?: number
}

/** A condition as we report it: its reason comes from a catalogue. */
export interface ConditionReport {
  type: string
  status: ConditionStatus
  reason: Reason
  /** What to do next, for people. */
  message: string
  /** Absent: what the list already says stays. */
  observedGeneration?: number
}

/**
 * The list with this condition set, in its old place or at the end. `lastTransitionTime` moves only when the status
 * does. The same array comes back when nothing changes, so that `===` decides whether there is anything to write.
 */
export function setCondition(list: Condition[] | undefined, report: ConditionReport, now: Date): Condition[] {
  const conditions = list ?? []
  const old = findCondition(conditions, report.type)
  const next: Condition = {
    ...old,
    ...report,
    lastTransitionTime: old?.status === report.status ? old.lastTransitionTime : rfc3339(now),
  }
  if (!old) return [...conditions, next]
  if (isSame(old, next)) return conditions
  return conditions.map((condition) => (condition === old ? next : condition))
}

/** The list without this condition; the same array when it was not there. */
export function removeCondition(list: Condition[] | undefined, type: string): Condition[] {
  const conditions = list ?? []
  return findCondition(conditions, type) ? conditions.filter((condition) => condition.type !== type) : conditions
}

export const findCondition = (list: readonly Condition[] | undefined, type: string): Condition | undefined =>
  list?.find((condition) => condition.type === type)

/** False when the condition is missing. */
export const isTrue = (list: readonly Condition[] | undefined, type: string): boolean =>
  findCondition(list, type)?.status === 'True'

const isSame = (a: Condition, b: Condition): boolean =>
  a.status === b.status &&
  a.reason === b.reason &&
  a.message === b.message &&
  a.observedGeneration === b.observedGeneration

/** The time format of the Kubernetes API, which drops fractions of a second. */
export const rfc3339 = (time: Date): string => time.toISOString().replace(/\.\d+Z$/, 'Z')
