import type { Session } from './contract.ts'
import { isReviewOpen } from './elapsing.ts'
import { isTerminal, stateOf } from './states.ts'
import { plus, timeOf } from './times.ts'

/** How much longer the newest of a slot is kept: its number is not given twice on the word of an old list. */
const newestForMs = 60_000

/**
 * When a session may be deleted. Undefined: not yet. One that lives is never deleted, nor one that bypassed approval and
 * that nobody has reviewed: what is overdue would be forgotten by it.
 */
export function purgeAt(session: Session, isNewestOfSlot: boolean): Date | undefined {
  if (!isTerminal(stateOf(session)) || isReviewOpen(session)) return undefined
  const until = timeOf(session.status?.retainedUntil) ?? timeOf(session.metadata.creationTimestamp)
  return until && plus(until, isNewestOfSlot ? newestForMs : 0)
}
