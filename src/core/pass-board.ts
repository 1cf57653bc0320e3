import type { Clock } from './clock.ts'
import type { Pass, Passes } from './pass.ts'

/** The passes of one job, as its reconcilers see them. Rebuilt from the system of record at each start: never a second truth. */
export interface PassBoard extends Passes {
  put(pass: Pass): void
  /** The last change told of a removed pass carries `goneAt` as its `expiresAt`. */
  remove(id: string, goneAt: Date): void
}

export function passBoard(): PassBoard {
  const passes = new Map<string, Pass>()
  const listeners = new Set<(pass: Pass) => void>()
  const tell = (pass: Pass) => {
    for (const listener of listeners) listener(pass)
  }
  return {
    put(pass) {
      passes.set(pass.id, pass)
      tell(pass)
    },
    remove(id, goneAt) {
      const pass = passes.get(id)
      if (!pass) return
      passes.delete(id)
      tell({ ...pass, expiresAt: goneAt })
    },
    async *list() {
      yield* passes.values()
    },
    changes(signal) {
      // Only the newest state of each pass waits for a slow reader, so the backlog is bounded by the number of passes.
      const backlog = new Map<string, Pass>()
      let arrived = Promise.withResolvers<void>()
      const wake = () => arrived.resolve()
      const listener = (pass: Pass) => {
        backlog.delete(pass.id)
        backlog.set(pass.id, pass)
        wake()
      }
      const leave = () => {
        listeners.delete(listener)
        signal.removeEventListener('abort', wake)
      }
      // Here and not at the first `next`: whoever lists after this call must not miss what happens in between.
      listeners.add(listener)
      signal.addEventListener('abort', wake, { once: true })
      return (async function* () {
        try {
          while (!signal.aborted) {
            if (backlog.size === 0) await arrived.promise
            arrived = Promise.withResolvers()
            const batch = [...backlog.values()]
            backlog.clear()
            yield* batch
          }
        } finally {
          leave()
        }
      })()
    },
  }
}

/** A board that is told all passes of an owner at once, as often as one likes: only what differs from before is news. */
export interface OwnedPassBoard extends Passes {
  /** Those that were told before and are not among these are gone. */
  tell(owner: string, passes: readonly Pass[]): void
}

export function ownedPassBoard(clock: Pick<Clock, 'now'>): OwnedPassBoard {
  const board = passBoard()
  const told = new Map<string, Map<string, string>>()
  return {
    list: board.list,
    changes: board.changes,
    tell(owner, passes) {
      const before = told.get(owner) ?? new Map<string, string>()
      const after = new Map(passes.map((pass) => [pass.id, JSON.stringify(pass)]))
      for (const id of before.keys()) if (!after.has(id)) board.remove(id, clock.now())
      for (const pass of passes) if (before.get(pass.id) !== after.get(pass.id)) board.put(pass)
      if (after.size > 0) told.set(owner, after)
      else told.delete(owner)
    },
  }
}
