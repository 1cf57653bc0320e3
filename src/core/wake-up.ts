import type { Clock } from './clock.ts'
import { alarm } from './clock.ts'

/** A sleeper that can be poked. A poke while nobody sleeps is remembered until the next `reset`. */
export interface WakeUp {
  poke(): void
  /** Forgets earlier pokes: called before looking at the world, so that what changes while looking counts. */
  reset(): void
  /** Resolves at `until` as an alarm does, or when poked; without `until` only when poked. Rejects with the signal's reason. */
  wait(until: Date | undefined, signal: AbortSignal): Promise<void>
}

export function wakeUp(clock: Clock): WakeUp {
  let poked = false
  let resolvePoke: () => void = () => {}
  return {
    poke() {
      poked = true
      resolvePoke()
    },
    reset() {
      poked = false
    },
    wait(until, signal) {
      if (poked) return Promise.resolve()
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason)
        const finish = (settle: () => void) => () => {
          timer?.[Symbol.dispose]()
          signal.removeEventListener('abort', onAbort)
          resolvePoke = () => {}
          settle()
        }
        const onAbort = finish(() => reject(signal.reason))
        const onWake = finish(resolve)
        const timer = until && alarm(clock, until, onWake)
        resolvePoke = onWake
        signal.addEventListener('abort', onAbort, { once: true })
      })
    },
  }
}
