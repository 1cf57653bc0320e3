import type { Clock } from '../../../core/clock.ts'
import type { Run } from '../../../core/lifecycle.ts'
import { isAbort } from '../../../core/lifecycle.ts'
import type { Log } from '../../../core/log.ts'
import type { Random } from '../../../core/random.ts'
import { wakeUp } from '../../../core/wake-up.ts'
import { informer } from '../../../kube/informer.ts'
import { certificateSigningRequests } from '../../../kube/kinds.ts'
import type { Kube } from '../../../kube/kube.ts'

export interface CsrWatchOptions {
  selector: string
  clock: Clock
  random: Random
  log: Log
  /** A request was answered, made or removed. */
  poke(): void
}

/**
 * Watches the requests of one cluster as whoever asks for its certificate at the time, and nobody when nothing is
 * asked for: an agent spends most of its life with a good certificate.
 */
export function csrWatch({ selector, clock, random, log, poke }: CsrWatchOptions): {
  run: Run
  follow(kube: Kube | undefined): void
} {
  const wake = wakeUp(clock)
  let followed: Kube | undefined
  let stop = new AbortController()
  return {
    follow(kube) {
      if (kube === followed) return
      followed = kube
      stop.abort()
      wake.poke()
    },
    async run(signal) {
      while (!signal.aborted) {
        wake.reset()
        const kube = followed
        stop = new AbortController()
        const until = AbortSignal.any([signal, stop.signal])
        try {
          if (!kube) await wake.wait(undefined, until)
          else {
            const csrs = informer(kube.of(certificateSigningRequests), { clock, random, log, labelSelector: selector })
            using _ = csrs.on(poke)
            await csrs.run(until)
          }
        } catch (error) {
          if (!isAbort(error, until)) throw error
        }
      }
    },
  }
}
