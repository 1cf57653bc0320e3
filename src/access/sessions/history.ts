import type { SessionStatus } from '../../apis/breakglass/breakglass-session.ts'
import { stamp } from './times.ts'

/** What can happen to a session. Exactly one of these for each thing that happens. */
export const transitions = [
  /** It waits for approval. */
  'requested',
  /** One more has approved, and more are needed; of a session or of an extension. */
  'approval-recorded',
  /** Enough have, and it began. */
  'approved',
  /** Enough have, and it begins later. */
  'scheduled',
  /** What was scheduled began. */
  'activated',
  'rejected',
  'withdrawn',
  'dropped',
  'canceled',
  'timed-out',
  'expired',
  'idle-expired',
  'extension-requested',
  'extension-rejected',
  'extension-timed-out',
  'extended',
  /** It began without approval. */
  'emergency',
  'reviewed',
  'review-overdue',
  /** The hub ended it, for the reason that is an Ending. */
  'ended',
] as const
export type TransitionWord = (typeof transitions)[number]

const longest = 100
/** With what nobody was told of yet, which is not cut: as the schema has it, and for people a little less. */
const longestUntold = 200
const mostByPeople = 150

const untold = ({ history = [], told = 0 }: SessionStatus): number => history.filter(({ seq }) => seq > told).length

/** Whether people must wait until what happened before was told. What the hub does by itself still has room. */
export const isRecordFull = (status: SessionStatus): boolean => untold(status) >= mostByPeople

export interface Happening {
  readonly transition: TransitionWord
  /** Absent: the hub. */
  readonly by?: string
  readonly reason?: string
}

/** The status with one more entry; of a long history the oldest go that were told. */
export function noting(status: SessionStatus, now: Date, { transition, by, reason }: Happening): SessionStatus {
  const history = status.history ?? []
  const entry = {
    at: stamp(now),
    transition,
    ...(by !== undefined && { by }),
    ...(reason !== undefined && reason !== '' && { reason }),
    seq: (history.at(-1)?.seq ?? 0) + 1,
  }
  const kept = Math.min(longestUntold, Math.max(longest, untold(status) + 1))
  return { ...status, history: [...history, entry].slice(-kept) }
}
