import type { SessionState } from '../../apis/breakglass/session-status-fields.ts'
import type { Session } from './contract.ts'

/** '': nobody has looked at it yet. */
export type AnyState = SessionState | ''

const followers: Readonly<Record<AnyState, readonly AnyState[]>> = {
  '': ['Pending', 'Expired'],
  Pending: ['Approved', 'WaitingForScheduledTime', 'Rejected', 'Withdrawn', 'ApprovalTimeout', 'Expired'],
  WaitingForScheduledTime: ['Approved', 'Withdrawn', 'Expired'],
  Approved: ['Expired', 'IdleExpired'],
  Rejected: [],
  Withdrawn: [],
  ApprovalTimeout: [],
  Expired: [],
  IdleExpired: [],
}

export const stateOf = ({ status }: Pick<Session, 'status'>): AnyState => (status?.state ?? '') as AnyState

export const isTerminal = (state: AnyState): boolean => followers[state].length === 0

/** Whether a session may go from one state to another. To stay in one is always possible. Only what bypasses approval begins approved. */
export const mayBecome = (from: AnyState, to: AnyState, spec: { readonly emergency?: boolean }): boolean =>
  from === to || followers[from].includes(to) || (from === '' && to === 'Approved' && spec.emergency === true)
