import type { SessionHistoryEntry } from '../../apis/breakglass/session-status-fields.ts'
import type { ServerSentEvent } from '../../fleet/rest.ts'
import type { Session } from '../sessions/index.ts'
import type { Person } from './contract.ts'
import type { PeopleDeps } from './deps.ts'
import { Forgotten, resumeAt } from './resume.ts'
import { sessionChanges } from './session-changes.ts'
import { isVisible, sightOf } from './sight.ts'
import type { StreamPoint } from './stream-point.ts'
import { isAfter, pointAt, pointOf, pointText, Seen } from './stream-point.ts'

export type StreamDeps = Pick<PeopleDeps, 'kube' | 'view' | 'clock' | 'spokeView' | 'settings'>

/** How often a reader who is told nothing learns where to resume: servers forget old versions after some minutes. */
const pointEveryMs = 15_000

/**
 * Every entry of the history of every session that this person may see: once, in the order in which they were written,
 * from now on or from where they stopped. `reset` says that what lies between is not known any more: list again.
 */
export async function* sessionStream(
  after: string | undefined,
  person: Person,
  deps: StreamDeps,
  signal: AbortSignal,
): AsyncGenerator<ServerSentEvent> {
  const { kube, view, spokeView, clock } = deps
  await view.sessions.synced(signal)
  using changes = sessionChanges(view.sessions, clock)
  // Who may see a session is known by these: what was passed over for want of one would never be told.
  await Promise.all([view.escalations, spokeView.configs].map((known) => known.synced(signal)))
  // Only of what the reader knows before this replica does: all else is in the changes themselves.
  let seen = new Seen()
  let reached = changes.newest && pointAt(changes.newest)
  let told: StreamPoint | undefined
  let toldAt = Number.NEGATIVE_INFINITY

  const eventsOf = function* (session: Session, entries: readonly SessionHistoryEntry[]): Generator<ServerSentEvent> {
    if (!reached || isAfter(pointAt(session), reached)) reached = pointAt(session)
    if (entries.length === 0 || !isVisible(sightOf(session, person, deps))) return
    for (const entry of entries) {
      told = { version: session.metadata.resourceVersion, seq: entry.seq }
      toldAt = clock.now().getTime()
      yield { id: pointText(told), event: 'session', data: eventData(session, entry) }
    }
  }

  if (after !== undefined)
    try {
      const point = pointOf(after)
      if (!point) throw new Forgotten('this is no place in the stream')
      const { ahead, missed } = await resumeAt(point, view.sessions.list(), kube, signal)
      seen = ahead
      told = point
      for await (const { session, entries } of missed) {
        if (entries.length > 0) seen.look(session, 0)
        yield* eventsOf(session, entries)
      }
      // What is known here may be older than what another replica has told already.
      if (!reached || isAfter(point, reached)) reached = point
    } catch (error) {
      if (!(error instanceof Forgotten)) throw error
      seen = new Seen()
      yield reset
    }
  for (;;) {
    if (reached && (!told || isAfter(reached, told)) && clock.now().getTime() - toldAt >= pointEveryMs) {
      told = reached
      toldAt = clock.now().getTime()
      yield { id: pointText(told) }
    }
    const found = await changes.next(pointEveryMs, signal)
    if (found === 'over') return
    if (found === 'late') return yield reset
    if (found !== 'nothing') yield* eventsOf(found.session, seen.look(found.session, found.before))
  }
}

const reset: ServerSentEvent = {
  event: 'reset',
  data: { reason: 'what happened in between is not known any more; list again' },
}

const eventData = ({ metadata, spec, status }: Session, entry: SessionHistoryEntry) => ({
  session: metadata.name,
  namespace: metadata.namespace,
  cluster: spec.cluster,
  user: spec.user,
  group: spec.grantedGroup,
  state: status?.state,
  entry,
})
