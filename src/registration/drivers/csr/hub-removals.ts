import type { Clock } from '../../../core/clock.ts'
import { after } from '../../../core/clock.ts'
import type { Superseded } from '../../../fleet/csr/superseded.ts'
import type { SeenRequest } from './hub-requests.ts'

/** How long a request must have been there before those that it replaces are removed. */
const settledMs = 30_000

/** How long an agent has to ask again before its request counts as given up. */
const returnsMs = 60_000

/** How long a removal is remembered; requests without a decision end after a day. */
const rememberedMs = 24 * 3_600_000

/**
 * Which superseded requests go, and when. An agent whose request was removed asks again at once, under the same name,
 * for its name follows from its key: that one lives, and its request is not removed again. Without that, two agents of
 * one name would have each other's requests removed for ever.
 */
export interface Removals {
  /** Undefined: it stays. */
  dueAt(superseded: Superseded<SeenRequest>): Date | undefined
  note(removed: SeenRequest): void
  /** Until when an agent whose request was removed may still come back. */
  openUntil(user: string): Date | undefined
}

export function removals(clock: Pick<Clock, 'now'>): Removals {
  const removedAt = new Map<string, Date>()
  const lastOf = new Map<string, Date>()
  return {
    dueAt: ({ request, by }) => (removedAt.has(request.csr.metadata.name) ? undefined : after(by.seenAt, settledMs)),
    note({ csr, user }) {
      const now = clock.now()
      forget(removedAt, after(now, -rememberedMs))
      forget(lastOf, after(now, -returnsMs))
      removedAt.set(csr.metadata.name, now)
      lastOf.set(user, now)
    },
    openUntil(user) {
      const last = lastOf.get(user)
      return last && after(last, returnsMs)
    },
  }
}

function forget(dates: Map<string, Date>, before: Date): void {
  for (const [key, date] of dates) if (date < before) dates.delete(key)
}
