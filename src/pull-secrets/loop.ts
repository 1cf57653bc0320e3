import type { Clock } from '../core/clock.ts'
import { sleep } from '../core/clock.ts'
import type { Run } from '../core/lifecycle.ts'
import { isAbort } from '../core/lifecycle.ts'
import type { Log } from '../core/log.ts'

export type LoopName =
  | 'sweep'
  | 'rotation'
  | 'schedule'
  | 'pool'
  | 'expiry'
  | 'outbox'
  | 'status'
  | 'delivery'
  | 'reencryption'

/** Work in the background. A tick looks at the database and moves it one step: it can be killed anywhere and run again. */
export interface Loop {
  name: LoopName
  everyMs: number
  tick(signal: AbortSignal): Promise<void>
  /** Ends a pause before its time. */
  bell?: Bell
}

export interface Bell {
  ring(): void
  /** Aborts at the next ring. */
  next(): AbortSignal
}

export function bell(): Bell {
  let rung = new AbortController()
  return {
    ring: () => rung.abort(),
    next() {
      rung = new AbortController()
      return rung.signal
    },
  }
}

/** A tick that fails is logged, and the next one comes all the same. */
export const runLoop =
  ({ name, everyMs, tick, bell }: Loop, { clock, log }: { clock: Clock; log: Log }): Run =>
  async (signal) => {
    while (!signal.aborted) {
      // From before the tick: it may have looked already when the bell rings.
      const rung = bell?.next()
      try {
        await tick(signal)
      } catch (error) {
        if (!isAbort(error, signal)) log.error({ err: error, loop: name }, 'a tick failed')
      }
      await sleep(clock, everyMs, rung ? AbortSignal.any([signal, rung]) : signal).catch(() => {})
    }
  }
