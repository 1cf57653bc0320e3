import type { BreakglassSession } from '../../apis/breakglass/breakglass-session.ts'
import type { Clock } from '../../core/clock.ts'
import type { Informer } from '../../kube/informer.ts'
import type { Session } from '../sessions/index.ts'
import { byVersion, lastSeq } from './stream-point.ts'

/** Versions that one reader may be behind. Who reads so slowly is better off with a list. */
const mostWaiting = 10_000

/** A version of a session, and how far its history went in the one before that was seen here. */
export interface SessionChange {
  readonly session: Session
  readonly before: number
}

/** Every version of every session, in the order of their versions, from now on. No reader keeps what there is for itself. */
export interface SessionChanges extends Disposable {
  /** Of those that were there at the beginning. */
  readonly newest: Session | undefined
  /** 'nothing': none came for so long. 'late': too many have not been read. 'over': the signal. */
  next(waitMs: number, signal: AbortSignal): Promise<SessionChange | 'nothing' | 'late' | 'over'>
}

export function sessionChanges(
  sessions: Pick<Informer<BreakglassSession>, 'on'>,
  clock: Pick<Clock, 'countdown'>,
): SessionChanges {
  const waiting: SessionChange[] = []
  let newest: Session | undefined
  let batch: SessionChange[] = []
  let isLate = false
  let wake = () => {}
  let isWatching = false

  // A list after a loss tells all at once and in no order: what comes in one go is put in order first.
  const flush = () => {
    waiting.push(...batch.toSorted((a, b) => byVersion(a.session, b.session)))
    batch = []
    if (waiting.length > mostWaiting) {
      isLate = true
      waiting.length = 0
    }
    wake()
  }
  const subscription = sessions.on((change) => {
    if (change.type === 'deleted') return
    const { object: session } = change
    if (!isWatching) {
      if (!newest || byVersion(newest, session) < 0) newest = session
      return
    }
    const previous = change.type === 'updated' ? change.previous : undefined
    const before = previous?.metadata.uid === session.metadata.uid ? lastSeq(previous) : 0
    if (batch.push({ session, before }) === 1) queueMicrotask(flush)
  })
  isWatching = true

  return {
    get newest() {
      return newest
    },
    async next(waitMs, signal) {
      const taken = () => (isLate ? 'late' : waiting.shift())
      const found = taken()
      if (found) return found
      if (signal.aborted) return 'over'
      const { promise, resolve } = Promise.withResolvers<'news' | 'nothing' | 'over'>()
      const onAbort = () => resolve('over')
      signal.addEventListener('abort', onAbort, { once: true })
      wake = () => resolve('news')
      using _patience = clock.countdown(waitMs, () => resolve('nothing'))
      const why = await promise
      signal.removeEventListener('abort', onAbort)
      return why === 'over' ? 'over' : (taken() ?? 'nothing')
    },
    [Symbol.dispose]: () => subscription[Symbol.dispose](),
  }
}
