import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import type { Clock } from '../../core/clock.ts'
import type { Run } from '../../core/lifecycle.ts'
import { isAbort } from '../../core/lifecycle.ts'
import type { Log } from '../../core/log.ts'
import type { Random } from '../../core/random.ts'
import { wakeUp } from '../../core/wake-up.ts'
import { informer } from '../../kube/informer.ts'
import { certificateSigningRequests } from '../../kube/kinds.ts'
import type { Kube } from '../../kube/kube.ts'
import type { Stored } from '../../kube/objects.ts'

/** A request was answered, made or removed; without one, any may have been. */
export type CsrNews = (csr?: Stored<CertificateSigningRequest>) => void

/** Runs as long as requests are to be watched. */
export type CsrSource = (kube: Kube, tell: CsrNews) => Run

export interface CsrSourceOptions {
  selector: string
  clock: Clock
  random: Random
  log: Log
}

/** A watch of its own for each that asks. */
export const csrSource =
  ({ selector, ...deps }: CsrSourceOptions): CsrSource =>
  (kube, tell) =>
  async (signal) => {
    const csrs = informer(kube.of(certificateSigningRequests), { ...deps, labelSelector: selector })
    using _ = csrs.on(({ object }) => tell(object))
    await csrs.run(signal)
  }

export interface CsrWatchOptions {
  source: CsrSource
  clock: Clock
  poke: CsrNews
}

/**
 * Watches requests as whoever asks for a certificate at the time, and nobody when nothing is asked for: an agent spends
 * most of its life with a good certificate.
 */
export function csrWatch({ source, clock, poke }: CsrWatchOptions): {
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
          else await source(kube, poke)(until)
        } catch (error) {
          if (!isAbort(error, until)) throw error
        }
      }
    },
  }
}
