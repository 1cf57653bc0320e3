/** Sessions: what may be asked for, who may approve, what happens when, and the one place that writes them. */
export type { ApprovalFacts, DenialReason, MayApprove } from './approvers.ts'
export { denialReasonOf, effectiveSelfApprovalBlock, mayApprove } from './approvers.ts'
export type * from './contract.ts'
export { decide } from './decide.ts'
export { dueAt, isReviewOpen, isReviewOverdue } from './elapsing.ts'
export { endedByRestore } from './ending.ts'
export { failures as sessionFailures } from './failures.ts'
export { fits, fitsAny } from './glob.ts'
export type { TransitionWord } from './history.ts'
export { transitions } from './history.ts'
export {
  approversProviders,
  escalationsOf,
  isForCluster,
  isReady,
  matchingEscalations,
  requestersProviders,
  withoutPrefix,
} from './matching.ts'
export { approverOf, isRequester, isSameName, mayBeFor, mayBeRequester } from './persons.ts'
export { reasons as sessionReasons } from './reasons.ts'
export { purgeAt } from './retention.ts'
export type { SlotOf } from './slot.ts'
export { isOfSlot, labelValue, numberOf, sessionName, slotOf } from './slot.ts'
export { isLive, standingOf } from './standing.ts'
export type { AnyState } from './states.ts'
export { isTerminal, mayBecome, stateOf } from './states.ts'
export type { SessionStoreDeps } from './store.ts'
export { createSessionStore } from './store.ts'
