import type { Clock } from '../../../core/clock.ts'
import { after } from '../../../core/clock.ts'
import type { Superseded } from '../../../fleet/csr/superseded.ts'
import type { SeenRequest } from './hub-requests.ts'

/** How long a request must have been there before those that it replaces are removed. */
const settledMs = 30_000

/** How soon a removal is tried again. */
export const retryRemovalMs = 60_000

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
  /** Undefined: it stays. One that was tried and is still there was not removed after all, and is due again after a while. */
  dueAt(superseded: Superseded<SeenRequest>): Date | undefined
  /**
   * To be called before it is tried, for whether a request is gone is not known when the answer is lost, and once it is
   * gone. Each counts once: a removal that fails again and again does not keep its agent out.
   */
  note(removed: SeenRequest, stage: Stage): void
  /** Until when an agent whose request was removed may still come back. */
  openUntil(user: string): Date | undefined
}

type Stage = 'tried' | 'gone'

export function removals(clock: Pick<Clock, 'now'>): Removals {
  /** By name, with the uid: under another one it is back. */
  const noted = new Map<string, { uid: string; stage: Stage; at: Date }>()
  const lastOf = new Map<string, Date>()
  return {
    dueAt({ request, by }) {
      const { name, uid } = request.csr.metadata
      const known = noted.get(name)
      if (!known) return after(by.seenAt, settledMs)
      return known.uid === uid ? after(known.at, retryRemovalMs) : undefined
    },
    note({ csr, user }, stage) {
      const { name, uid } = csr.metadata
      const known = noted.get(name)
      const isNews = known?.uid !== uid || (known.stage === 'tried' && stage === 'gone')
      const now = clock.now()
      forget(noted, ({ at }) => at, after(now, -rememberedMs))
      forget(lastOf, (at) => at, after(now, -returnsMs))
      noted.set(name, { uid, stage: isNews ? stage : known.stage, at: now })
      if (isNews) lastOf.set(user, now)
    },
    openUntil(user) {
      const last = lastOf.get(user)
      return last && after(last, returnsMs)
    },
  }
}

function forget<T>(known: Map<string, T>, timeOf: (value: T) => Date, before: Date): void {
  for (const [key, value] of known) if (timeOf(value) < before) known.delete(key)
}
