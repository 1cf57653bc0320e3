/** What a write of a session's status must not do, whoever does it: the last guard before access is on record. */
import { isDeepStrictEqual } from 'node:util'
import type { BreakglassSession, SessionStatus } from '../../apis/breakglass/breakglass-session.ts'
import type { Mistake } from '../../fleet/mistake.ts'
import { mistake } from '../../fleet/mistake.ts'
import type { AnyState } from '../sessions/states.ts'
import { isTerminal, mayBecome, stateOf } from '../sessions/states.ts'
import { timeOf } from '../sessions/times.ts'

export function statusMistakes(session: BreakglassSession, old: BreakglassSession): Mistake[] {
  const [from, to] = [stateOf(old), stateOf(session)]
  const [status, before] = [session.status ?? {}, old.status ?? {}]
  if (!mayBecome(from, to, session.spec)) {
    const problem = isTerminal(from)
      ? `is ${from}, and stays so`
      : `cannot become ${to || 'nothing'} after ${from || 'nothing'}`
    return [mistake('status.state', problem, [from, to])]
  }
  return [
    ...cleared(status, before),
    ...backwards(status, before),
    ...whenOver(from, status, before),
    ...ungranted(from, to, session),
  ]
}

/** Once known, always known. */
const kept = [
  'approvedAt',
  'actualStartTime',
  'withdrawnAt',
  'expiresAt',
  'retainedUntil',
  'review',
  'lastActivity',
] as const

const cleared = (status: SessionStatus, before: SessionStatus): Mistake[] =>
  kept.flatMap((field) =>
    before[field] !== undefined && status[field] === undefined
      ? [mistake(`status.${field}`, 'must not be taken away')]
      : [],
  )

function backwards(status: SessionStatus, before: SessionStatus): Mistake[] {
  const counts: [field: string, now: number, was: number][] = [
    ['activityCount', status.activityCount ?? 0, before.activityCount ?? 0],
    ['lastActivity', momentOf(status.lastActivity), momentOf(before.lastActivity)],
    ['told', status.told ?? 0, before.told ?? 0],
    ['history', status.history?.at(-1)?.seq ?? 0, before.history?.at(-1)?.seq ?? 0],
  ]
  return counts.flatMap(([field, now, was]) =>
    now < was ? [mistake(`status.${field}`, 'must not go back', [now, was])] : [],
  )
}

const momentOf = (text: string | undefined): number => timeOf(text)?.getTime() ?? 0

/** How and when something ended does not change afterwards. */
const ofTheEnd = ['expiresAt', 'reasonEnded', 'approvedAt', 'actualStartTime', 'approvals', 'extension'] as const

const whenOver = (from: AnyState, status: SessionStatus, before: SessionStatus): Mistake[] =>
  isTerminal(from)
    ? ofTheEnd.flatMap((field) =>
        isDeepStrictEqual(status[field], before[field])
          ? []
          : [mistake(`status.${field}`, `is that of a session that is ${from}`)],
      )
    : []

/** No grant without an approval on record, or a review that is due. */
function ungranted(from: AnyState, to: AnyState, { spec, status = {} }: BreakglassSession): Mistake[] {
  const isGranted = from !== to && (to === 'Approved' || to === 'WaitingForScheduledTime')
  if (!isGranted) return []
  const mistakes: Mistake[] = []
  if (!timeOf(status.expiresAt)) mistakes.push(mistake('status.expiresAt', `is required of a session that is ${to}`))
  // An emergency may have been brought to Pending by another replica before it could begin.
  if (from === '' || (spec.emergency && status.review))
    return status.review ? mistakes : [...mistakes, mistake('status.review', 'is required without approval')]
  const approvers = new Set((status.approvals ?? []).map(({ approver }) => approver.toLowerCase()))
  const needed = spec.minApprovals ?? 1
  if (!timeOf(status.approvedAt) || approvers.size < needed)
    mistakes.push(mistake('status.approvals', `must hold ${needed} before the session is ${to}`, approvers.size))
  return mistakes
}
