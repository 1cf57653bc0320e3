import type { Clock } from '../core/clock.ts'
import { sleep } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import { wakeUp } from '../core/wake-up.ts'
import type { CertificateSource, ServingCertificate } from './serving-certificate.ts'

const retryAfterMs = 60_000

export interface KeepCertificateDeps {
  certificate: CertificateSource
  clock: Clock
  log: Log
}

/**
 * Presents each new certificate to connections from then on; those that are open keep what they have. One that cannot
 * be renewed is no reason to stop: the one in use has a third of its life left.
 */
export async function keepCertificate(
  { certificate, clock, log }: KeepCertificateDeps,
  first: ServingCertificate,
  present: (next: ServingCertificate) => void,
  signal: AbortSignal,
): Promise<void> {
  let { certPem, renewAt } = first
  for (;;) {
    try {
      await wakeUp(clock).wait(renewAt, signal)
      const next = await orAbort(certificate(signal), signal)
      const isNews = next.certPem !== certPem
      if (isNews) present(next)
      ;({ certPem, renewAt } = next)
      if (isNews) log.info({ renewAt }, 'serving certificate renewed')
    } catch (error) {
      if (signal.aborted) return
      log.error({ err: error }, 'serving certificate not renewed')
      await sleep(clock, retryAfterMs, signal).catch(() => {})
    }
  }
}

/** For what may not listen to the signal itself. Leaves no listener: a signal lives as long as the process. */
export async function orAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: stopped, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(signal.reason)
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work, stopped])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
