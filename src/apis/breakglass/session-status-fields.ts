import type { Static } from 'typebox'
import * as Type from 'typebox'
import { Conditions, Int32, Int64, Time } from '../fields.ts'
import { Duration, Words } from './common.ts'

const sessionStates = [
  'Pending',
  'Approved',
  'WaitingForScheduledTime',
  'Rejected',
  'Withdrawn',
  'ApprovalTimeout',
  'Expired',
  'IdleExpired',
] as const
export type SessionState = (typeof sessionStates)[number]

const text = (description: string) => Type.Optional(Type.String({ description }))
const time = (description: string) => Type.Optional(Time({ description }))

const Approval = Type.Object(
  {
    approver: Type.String({ description: 'Who.' }),
    at: Time({ description: 'When.' }),
    reason: text('Why, in their words.'),
    validFor: Type.Optional(Duration({ description: 'For how long they agreed. Absent: for as long as was asked.' })),
    identityProvider: text('Who vouched for them.'),
    subject: text('How they are known there, whatever their name: claim `sub`.'),
  },
  { description: 'One approval.' },
)
export type SessionApproval = Static<typeof Approval>

const Extension = Type.Object(
  {
    requestedAt: Time({ description: 'When it was asked for.' }),
    requestedFor: Duration({ description: 'How much longer.' }),
    reason: text('Why, in the words of whoever asked.'),
    timeoutAt: Time({ description: 'Until when it waits for approval.' }),
    approvals: Type.Array(Approval, { description: 'Who agreed so far.' }),
  },
  { description: 'More time that is asked for and not yet granted.' },
)
export type SessionExtension = Static<typeof Extension>

const Review = Type.Object(
  {
    dueAt: Time({ description: 'Until when it must be done.' }),
    reviewedAt: time('When it was done.'),
    reviewer: text('Who did it.'),
    verdict: Type.Optional(Type.Enum(['Justified', 'Unjustified'], { description: 'What they found.' })),
    comment: text('Why, in their words.'),
  },
  { description: 'What somebody says afterwards of access that nobody had approved.' },
)
export type SessionReview = Static<typeof Review>

const HistoryEntry = Type.Object(
  {
    at: Time({ description: 'When.' }),
    transition: Type.String({ description: 'What happened.' }),
    by: text('Who did it. Absent: the hub.'),
    reason: text('Why.'),
    seq: Int64({ description: 'One more than that of the entry before.' }),
  },
  { description: 'One thing that happened.' },
)
export type SessionHistoryEntry = Static<typeof HistoryEntry>

export const SessionStatusFields = Type.Object(
  {
    observedGeneration: Type.Optional(Int64({ description: 'What the conditions speak of.' })),
    conditions: Conditions('How the session stands.'),
    state: Type.Optional(
      Type.Enum(['', ...sessionStates], { description: 'Absent or empty: nobody has looked at it yet.' }),
    ),
    timeoutAt: time('Until when it waits for approval.'),
    approvedAt: time('When enough had approved.'),
    actualStartTime: time('When it began.'),
    expiresAt: time('When it ends.'),
    rejectedAt: time('When it was refused.'),
    withdrawnAt: time('When whoever asked took it back.'),
    retainedUntil: time('When it is deleted.'),
    approver: text('Who approved last.'),
    approvers: Words('Everybody who approved.'),
    approvalReason: text('Why, in the words of the last of them.'),
    approvals: Type.Optional(Type.Array(Approval, { description: 'The same, one by one.' })),
    grantedFor: Type.Optional(Duration({ description: 'For how long it was approved.' })),
    extension: Type.Optional(Extension),
    extensions: Type.Optional(Int32({ description: 'How many times it was granted more time.' })),
    reasonEnded: text('Why it ended, as a word.'),
    lastActivity: time('When it was last used.'),
    activityCount: Type.Optional(Int64({ description: 'How many times it was used.' })),
    review: Type.Optional(Review),
    history: Type.Optional(
      Type.Array(HistoryEntry, { maxItems: 200, description: 'What happened to the session, in order.' }),
    ),
    told: Type.Optional(
      Int64({ description: 'The seq of the newest entry of its history that the audit and people were told of.' }),
    ),
  },
  { description: 'What became of the session.' },
)
