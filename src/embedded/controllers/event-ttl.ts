import type { Clock } from '../../core/clock.ts'
import { sleep } from '../../core/clock.ts'
import type { Run } from '../../core/lifecycle.ts'
import { isAbort } from '../../core/lifecycle.ts'
import type { Log } from '../../core/log.ts'
import { wakeUp } from '../../core/wake-up.ts'
import type { Change, Entry, Store } from '../storage/store.ts'
import { StaleWrite } from '../storage/store.ts'

const ttlMs = 3_600_000
const storage = 'events'
/** Deleted together; the store commits them as one or a few batches. */
const atOnce = 500
const pauseMs = 10_000

/**
 * Events go an hour after they were last written. Not requests of anybody, as little as in Kubernetes, where their
 * storage drops them: no admission is asked.
 */
export function eventTtl({ store, clock, log }: { store: Store; clock: Clock; log: Log }): Run {
  return async (signal) => {
    /** In the order they were written, so that the first is the next to go. */
    const live = new Map<string, Entry>()
    const wake = wakeUp(clock)
    const note = ({ type, entry }: Change) => {
      const key = `${entry.namespace}/${entry.name}`
      live.delete(key)
      if (type !== 'DELETED') live.set(key, entry)
    }
    using _ = store.subscribe((changes) => {
      const wasEmpty = live.size === 0
      for (const change of changes) if (change.entry.storage === storage) note(change)
      if (wasEmpty && live.size > 0) wake.poke()
    })
    const present = store.list(storage).entries.toSorted((a, b) => a.writtenAt - b.writtenAt)
    for (const entry of present) live.set(`${entry.namespace}/${entry.name}`, entry)
    try {
      while (!signal.aborted) {
        wake.reset()
        const [next] = live.values()
        const now = clock.now().getTime()
        if (!next || next.writtenAt + ttlMs > now) await wake.wait(next && new Date(next.writtenAt + ttlMs), signal)
        else await drop(overdue(live, now), signal)
      }
    } catch (error) {
      if (!isAbort(error, signal)) throw error
    }
  }

  async function drop(entries: readonly Entry[], signal: AbortSignal): Promise<void> {
    const writes = await Promise.allSettled(
      entries.map(({ namespace, name, revision }) =>
        store.write({ storage, namespace, name, follows: revision, object: undefined }),
      ),
    )
    const refused = writes.find((write) => write.status === 'rejected' && !(write.reason instanceof StaleWrite))
    if (refused?.status !== 'rejected') return
    log.warn({ err: refused.reason, nextTryMs: pauseMs }, 'events could not be dropped')
    await sleep(clock, pauseMs, signal)
  }
}

function overdue(live: ReadonlyMap<string, Entry>, now: number): Entry[] {
  const found: Entry[] = []
  for (const entry of live.values()) {
    if (entry.writtenAt + ttlMs > now || found.length === atOnce) break
    found.push(entry)
  }
  return found
}
