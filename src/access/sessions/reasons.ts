import { reasonCatalogue } from '../../core/reason.ts'

export const reasons = reasonCatalogue({
  WaitingForApproval: 'it was asked for, and not enough have approved',
  ApprovedByApprovers: 'enough have approved',
  EmergencyBypass: 'it began without approval, and is reviewed afterwards',
  WaitingForSchedule: 'it is approved and begins later',
  ScheduledStartTimeReached: 'the time came for which it was approved',
  RejectedByApprover: 'an approver refused it',
  RejectedByRequester: 'whoever asked for it refused it',
  WithdrawnByRequester: 'whoever asked for it took it back',
  DroppedByRequester: 'whoever asked for it needs it no more',
  CanceledByApprover: 'an approver ended it',
  EndedByRestore: 'a backup in which it had not ended was restored',
  CanceledByDeletion: 'its object was deleted, with its escalation, its namespace or by itself',
  ApprovalTimeout: 'nobody approved it in time',
  ExpiredByTime: 'its time is over',
  ExpiredByIdleness: 'nobody used it for as long as it may be idle',
  ExpiredByClusterDeletion: 'its cluster left',
  DuplicateSession: 'another session of the same cluster, user and group lives',
  ScheduleMissing: 'it waits for a time that nobody set',
  ScheduleMissed: 'the time it was approved for went by before it could begin',
})
