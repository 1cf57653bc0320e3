import { BreakglassSession } from '../../apis/breakglass/breakglass-session.ts'
import type { SessionHistoryEntry } from '../../apis/breakglass/session-status-fields.ts'
import { KubeFailure } from '../../kube/failures.ts'
import type { Kube } from '../../kube/kube.ts'
import type { Session } from '../sessions/index.ts'
import type { StreamPoint } from './stream-point.ts'
import { compareVersions, lastSeq, Seen } from './stream-point.ts'

/** A version that a reader has missed, and what is new in it. */
export interface Missed {
  readonly session: Session
  readonly entries: readonly SessionHistoryEntry[]
}

/** Where a stream goes on. */
export interface Resumed {
  /** What its reader has seen beyond what is known here: another replica told it. */
  readonly ahead: Seen
  /** In the order in which they were written. Throws `Forgotten` where the server cannot tell any more. */
  readonly missed: AsyncIterable<Missed>
}

/** That nobody knows any more what happened since. */
export class Forgotten extends Error {}

/**
 * Goes back to a point. The objects as they were then say what the reader has seen; a watch from there tells the rest in
 * the very order in which it was written, up to what is known here. Most often nothing happened, and nobody is asked.
 */
export async function resumeAt(
  point: StreamPoint,
  snapshot: readonly Session[],
  kube: Kube,
  signal: AbortSignal,
): Promise<Resumed> {
  const newer = snapshot.filter(({ metadata }) => compareVersions(metadata.resourceVersion, point.version) > 0)
  const isPresent = snapshot.some(({ metadata }) => metadata.resourceVersion === point.version)
  if (newer.length === 0 && isPresent) return fromThen(snapshot, point, snapshot, [])
  const then: Session[] = []
  try {
    if (newer.length === 0) await checkReached(point, kube, signal)
    const options = { resourceVersion: point.version, resourceVersionMatch: 'Exact' as const, signal }
    for await (const { items } of kube.of(BreakglassSession.resource).pages(options)) then.push(...items.map(slim))
  } catch (error) {
    // Compacted, or a version that this server has not reached: a restored backup.
    if (error instanceof KubeFailure) throw new Forgotten('the version is not known any more', { cause: error })
    throw error
  }
  return fromThen(then, point, snapshot, newer, (from) => watched(from, kube, signal))
}

/** A server that was restored from a backup would be waited for in vain: it is not there yet. */
async function checkReached({ version }: StreamPoint, kube: Kube, signal: AbortSignal): Promise<void> {
  for await (const { metadata } of kube.of(BreakglassSession.resource).pages({ pageSize: 1, signal })) {
    if (compareVersions(metadata.resourceVersion, version) < 0) throw new Forgotten('the version has yet to come')
    return
  }
}

/** Of the object of that very version the reader may have seen a part only. */
function fromThen(
  then: readonly Session[],
  { version, seq }: StreamPoint,
  snapshot: readonly Session[],
  newer: readonly Session[],
  watch?: (from: string) => AsyncIterable<Session>,
): Resumed {
  const seen = Seen.of(then)
  const half = then.filter(({ metadata }) => metadata.resourceVersion === version)
  for (const { metadata } of half) seen.set(metadata.uid, seq)
  const needed = new Map(newer.map((session) => [session.metadata.uid, lastSeq(session)]))
  for (const [uid, last] of needed) if (seen.get(uid) >= last) needed.delete(uid)
  const known = Seen.of(snapshot)
  const ahead = new Seen()
  for (const { metadata } of then)
    if (seen.get(metadata.uid) > known.get(metadata.uid)) ahead.set(metadata.uid, seen.get(metadata.uid))
  return { ahead, missed: fresh(missed(half, needed, version, watch), seen) }
}

async function* fresh(sessions: AsyncIterable<Session>, seen: Seen): AsyncGenerator<Missed> {
  for await (const session of sessions) yield { session, entries: seen.look(session, 0) }
}

async function* missed(
  half: readonly Session[],
  needed: Map<string, number>,
  version: string,
  watch?: (from: string) => AsyncIterable<Session>,
): AsyncGenerator<Session> {
  yield* half
  if (needed.size === 0 || !watch) return
  for await (const session of watch(version)) {
    yield session
    const last = needed.get(session.metadata.uid)
    if (last !== undefined && lastSeq(session) >= last) needed.delete(session.metadata.uid)
    if (needed.size === 0) return
  }
}

/** Every version that was written after this one. A server that ends the watch is asked again. */
async function* watched(from: string, kube: Kube, signal: AbortSignal): AsyncGenerator<Session> {
  let resourceVersion = from
  try {
    while (!signal.aborted)
      for await (const event of kube.of(BreakglassSession.resource).watch({ resourceVersion, signal })) {
        resourceVersion = event.type === 'BOOKMARK' ? event.resourceVersion : event.object.metadata.resourceVersion
        if (event.type === 'ADDED' || event.type === 'MODIFIED') yield event.object
      }
  } catch (error) {
    if (error instanceof KubeFailure) throw new Forgotten('the versions since are not known any more', { cause: error })
    throw error
  }
}

/** All that is looked at of what was: there may be very many. */
const slim = ({ metadata, spec, status }: Session): Session => ({
  metadata,
  spec,
  status: { history: status?.history ?? [], ...(status?.state !== undefined && { state: status.state }) },
})
