import type { Clock } from '../../core/clock.ts'

export interface TurnsOptions {
  clock: Pick<Clock, 'countdown'>
  /** At once a key. Default 1. */
  places?: number
  /** Waiting a key, at most. */
  waiters: number
}

export interface Turns {
  /** Disposing it gives the turn to who has waited longest. Undefined: too many wait already, or it took too long. */
  take(key: string, waitMs: number): Promise<Disposable | undefined>
  /** Undefined when it is not free at this moment. */
  tryTake(key: string): Disposable | undefined
}

interface Line {
  taken: number
  waiting: Set<() => void>
}

/** Who comes first is served first, key by key, in this process. */
export function turns({ clock, places = 1, waiters }: TurnsOptions): Turns {
  const lines = new Map<string, Line>()

  const turn = (key: string, line: Line): Disposable => {
    let over = false
    return {
      [Symbol.dispose]() {
        if (over) return
        over = true
        const [next] = line.waiting
        // The place is handed on, never free in between: nobody can jump the line.
        if (next) return next()
        line.taken -= 1
        if (line.taken === 0) lines.delete(key)
      },
    }
  }

  const tryTake: Turns['tryTake'] = (key) => {
    const line = lines.get(key) ?? { taken: 0, waiting: new Set() }
    if (line.taken >= places) return undefined
    line.taken += 1
    lines.set(key, line)
    return turn(key, line)
  }

  return {
    tryTake,
    async take(key, waitMs) {
      const free = tryTake(key)
      if (free) return free
      const line = lines.get(key) as Line
      if (line.waiting.size >= waiters) return undefined
      return new Promise((resolve) => {
        const end = (got: Disposable | undefined) => {
          line.waiting.delete(called)
          timer[Symbol.dispose]()
          resolve(got)
        }
        const called = () => end(turn(key, line))
        const timer = clock.countdown(waitMs, () => end(undefined))
        line.waiting.add(called)
      })
    },
  }
}
