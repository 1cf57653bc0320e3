import type { Run } from '../../core/lifecycle.ts'
import { wakeUp } from '../../core/wake-up.ts'
import { deadline } from '../../kube/deadline.ts'
import type { Key } from '../../kube/objects.ts'
import { keyOf } from '../../kube/objects.ts'
import { durationOr } from '../duration.ts'
import type { AccessHubDeps } from '../hub/deps.ts'
import { timeOf } from '../sessions/times.ts'
import type { AccessView } from '../view.ts'
import type { Activity } from './contract.ts'
import { activityMetrics } from './metrics.ts'
import { writeUse } from './write-use.ts'

export type ActivityDeps = Pick<AccessHubDeps, 'kube' | 'clock' | 'log' | 'metrics'> & {
  view: Pick<AccessView, 'sessions'>
}

interface Use {
  last: Date
  /** Times that are not in the status yet. */
  count: number
  /** When they have to be. */
  dueMs: number
  isBeingWritten: boolean
}

/** What a hub that is killed forgets, at most. */
const flushWithinMs = 30_000
/** Of an idle timeout: what is forgotten must not end a session early by much. */
const idleShare = 8
const atOnce = 8
const lastFlushMs = 5_000

type Place = Parameters<Activity['lastUsed']>[0]
const keyAt = ({ namespace, name }: Place): Key => `${namespace}/${name}`

export function createActivity(deps: ActivityDeps): Activity & { readonly run: Run } {
  const { view, clock, log } = deps
  const uses = new Map<Key, Use>()
  const wake = wakeUp(clock)
  const counted = activityMetrics(deps.metrics, () => [...uses.values()].filter(({ count }) => count > 0).length)

  view.sessions.on(({ type, object }) => {
    if (type === 'deleted') uses.delete(keyOf(object))
    else dropIfWritten(keyOf(object))
  })

  /** Times in a status have no fractions of a second: what is kept here may be the newer one for less than that. */
  function dropIfWritten(key: Key): void {
    const use = uses.get(key)
    const written = use && timeOf(view.sessions.get(key)?.status?.lastActivity)
    if (!use || !written || use.count > 0 || use.isBeingWritten) return
    if (written.getTime() + 1_000 > use.last.getTime()) uses.delete(key)
  }

  function dueAfter(key: Key): number {
    const idle = view.sessions.get(key)?.spec.idleTimeout
    return idle === undefined ? flushWithinMs : Math.min(flushWithinMs, durationOr(idle, 0) / idleShare)
  }

  function used(session: Place, at: Date): void {
    const key = keyAt(session)
    const use = uses.get(key)
    if (use && use.count > 0) {
      use.count += 1
      if (at > use.last) use.last = at
      return
    }
    const last = use && use.last > at ? use.last : at
    const dueMs = clock.now().getTime() + dueAfter(key)
    uses.set(key, { last, count: 1, dueMs, isBeingWritten: use?.isBeingWritten ?? false })
    wake.poke()
  }

  async function flush(key: Key, use: Use, signal: AbortSignal): Promise<void> {
    const { count, last } = use
    const base = view.sessions.get(key)
    use.count = 0
    use.isBeingWritten = true
    try {
      const result = base ? await writeUse(deps.kube, base, { count, last }, signal) : 'gone'
      counted.flushed(result)
      if (result === 'gone') uses.delete(key)
    } catch (err) {
      counted.flushed('failed')
      log.debug({ err, key }, 'when a session was used is written later')
      const now = uses.get(key) ?? use
      now.count += count
      now.dueMs = clock.now().getTime() + flushWithinMs
      uses.set(key, now)
    } finally {
      const now = uses.get(key)
      if (now) now.isBeingWritten = false
      dropIfWritten(key)
    }
  }

  /** A few at a time: the hub has other things to write, too. */
  async function flushAll(isDue: (use: Use) => boolean, signal: AbortSignal): Promise<void> {
    const due = [...uses].filter(([, use]) => use.count > 0 && !use.isBeingWritten && isDue(use))
    for (let from = 0; from < due.length; from += atOnce)
      await Promise.all(due.slice(from, from + atOnce).map(([key, use]) => flush(key, use, signal)))
  }

  const run: Run = async (signal) => {
    try {
      while (!signal.aborted) {
        wake.reset()
        const nowMs = clock.now().getTime()
        // No use is due later than that, unless the clock was set back since.
        await flushAll(({ dueMs }) => dueMs <= nowMs || dueMs > nowMs + flushWithinMs, signal)
        const next = [...uses.values()]
          .filter(({ count }) => count > 0)
          .reduce((ms, use) => Math.min(ms, use.dueMs), Infinity)
        await wake.wait(next === Infinity ? undefined : new Date(next), signal)
      }
    } catch (error) {
      if (!signal.aborted) throw error
    }
    using limit = deadline(clock, lastFlushMs, () => new Error('the last uses of sessions were not written in time'))
    await flushAll(() => true, limit.signal)
  }

  return { used, lastUsed: (session) => uses.get(keyAt(session))?.last, run }
}
