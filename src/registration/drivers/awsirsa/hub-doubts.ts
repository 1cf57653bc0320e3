import type { Clock } from '../../../core/clock.ts'
import type { Role } from './clients/ports.ts'
import { surelyGoneMs } from './hub-removals.ts'
import { sinceWhen } from './hub-since.ts'

/**
 * Roles that nothing but a look at AWS speaks for. Another process may have removed such a role a moment ago, as
 * `lanyard deny` does before `lanyard accept`, and AWS shows it for some seconds more. By the uid of the cluster.
 */
export interface Doubts {
  /** Milliseconds until a look tells whether the role is there; 0 when this one does. */
  leftMs(uid: string, found: Role | undefined): number
  /** This process made the role, and has not finished what belongs to it. */
  madeHere(uid: string): void
  /** What was seen and made for the cluster counts no more. */
  forget(uid: string): void
}

export function doubtsAbout(clock: Pick<Clock, 'now'>): Doubts {
  const shown = sinceWhen(clock)
  const own = new Set<string>()
  return {
    leftMs(uid, found) {
      if (own.has(uid)) return 0
      if (!found) {
        // Whether a role is missing indeed shows when it is made.
        shown.forget(uid)
        return 0
      }
      return Math.max(0, surelyGoneMs - shown.note(uid, [`${found.arn} ${found.createdAt.getTime()}`]))
    },
    madeHere: (uid) => own.add(uid),
    forget(uid) {
      own.delete(uid)
      shown.forget(uid)
    },
  }
}
