import { sleep } from '../core/clock.ts'
import type { AccessClient } from './access-client.ts'
import type { SessionAnswer, SessionItem } from './access-words.ts'
import { sessionPath } from './access-words.ts'
import { failures } from './failures.ts'
import type { CommandDeps } from './open-hub.ts'

const lookAgainMs = 1_000

/** Looks until somebody has decided. Throws where they refused, or nobody did in time. */
export async function untilDecided(
  name: string,
  patienceMs: number,
  client: AccessClient,
  { clock, signal }: CommandDeps,
): Promise<SessionItem> {
  const startedAt = clock.now().getTime()
  for (;;) {
    const { session } = await client.get<SessionAnswer>(sessionPath(name))
    const state = session.status?.state || 'Pending'
    if (state === 'Approved' || state === 'WaitingForScheduledTime') return session
    if (state !== 'Pending') throw failures.ACCESS_WAIT_ENDED({ name, state })
    if (clock.now().getTime() - startedAt >= patienceMs)
      throw failures.ACCESS_WAIT_LATE({ name, seconds: Math.round(patienceMs / 1_000) })
    await sleep(clock, lookAgainMs, signal)
  }
}
