import type { Clock } from '../core/clock.ts'
import type { Run } from '../core/lifecycle.ts'
import { isAbort } from '../core/lifecycle.ts'
import type { Log } from '../core/log.ts'
import type { Metrics } from '../core/metrics.ts'
import { noMetrics } from '../core/metrics.ts'
import type { Random } from '../core/random.ts'
import { deadline } from './deadline.ts'
import { failures } from './failures.ts'
import { leases } from './kinds.ts'
import type { Kube } from './kube.ts'
import { pause } from './pause.ts'
import { Seat } from './seat.ts'

export interface ElectionOptions {
  clock: Clock
  random: Random
  log: Log
  /** Of the Lease. */
  namespace: string
  name: string
  /** This replica, as people know it (the pod's name). A random suffix makes each run its own candidate. */
  identity: string
  metrics?: Metrics
  /** How long a holder must have been silent before another may lead. Whole seconds. Default 15,000. */
  leaseDurationMs?: number
  /** How long after its last renewal a leader stops by itself. What is left of the lease is its time to stop. Default 10,000. */
  renewDeadlineMs?: number
  /** Between two renewals; candidates look a little less often. Default 2,000. */
  retryPeriodMs?: number
}

/**
 * Runs `run` while this replica holds a Lease, and never while another does. Works with client-go's electors on the
 * same Lease. It differs from them where they may overlap: a leader that sees another holder stops at once; on an
 * orderly stop the lease is renewed until `run` has ended, and only then released.
 *
 * Leadership that is lost is campaigned for again, so `run` may be called several times, never twice at a time. When
 * `run` ends by itself, so does the election, with its result.
 *
 * Two never lead at once as long as
 * - `run` ends within leaseDuration − renewDeadline after its signal aborts,
 * - no leader is suspended for longer than that: it would learn of its loss only with its next renewal,
 * - nobody else edits or deletes the Lease,
 * - time runs about equally fast everywhere. What wall clocks show, and whether they are set, does not matter.
 */
export function leading(kube: Kube, options: ElectionOptions, run: Run): Run {
  const { clock, random, log, namespace, name, identity, metrics = noMetrics } = options
  const { leaseDurationMs = 15_000, renewDeadlineMs = 10_000, retryPeriodMs = 2_000 } = options
  if (!(leaseDurationMs > renewDeadlineMs && renewDeadlineMs > 2 * retryPeriodMs && retryPeriodMs > 0))
    throw new RangeError('an election needs leaseDuration > renewDeadline > 2 × retryPeriod > 0')
  const state = metrics.gauge('lanyard_kube_leading_state', 'Whether this replica leads', { lease: [name] })
  /** Half the deadline, so that one request without an answer leaves time for another. */
  const callMs = renewDeadlineMs / 2

  return async (signal) => {
    const candidate = `${identity}_${random.suffix(8)}`
    const collection = kube.of(leases, namespace)
    using seat = new Seat({ leases: collection, name, candidate, leaseDurationMs, clock, log })
    const fields = { lease: name, candidate }

    /**
     * One call about the lease. A stop does not abort it: whether it took effect would be unknown, and a lease that is
     * held by nobody alive keeps everyone waiting.
     */
    async function ask<R>(call: (options: { signal: AbortSignal; deadlineMs: number }) => Promise<R>): Promise<R> {
      const tooLate = () => failures.LEASE_NO_ANSWER({ lease: name, callMs })
      using limit = deadline(clock, callMs, tooLate)
      return await call({ signal: limit.signal, deadlineMs: callMs })
    }

    /** Resolves with the mandate that was won; undefined when the signal aborts first. */
    async function campaign(): Promise<Mandate | undefined> {
      const mandate = new Mandate(clock, renewDeadlineMs)
      while (!signal.aborted) {
        const isWon = mandate.renewBy(() => ask((call) => seat.take(call)))
        const problem = (err: unknown) => void log.warn({ ...fields, err }, 'lease could not be asked for')
        if (await isWon.catch(problem)) return mandate
        await pause(clock, retryPeriodMs * (1 + 1.2 * random.fraction()), signal)
      }
      return undefined
    }

    /** Renews until `ended`, after the mandate has run out as well: while we hold the lease, nobody else can lead. */
    async function renew(mandate: Mandate, ended: AbortSignal): Promise<void> {
      for (;;) {
        await pause(clock, retryPeriodMs, ended)
        if (ended.aborted) return
        try {
          const isKept = await mandate.renewBy(() => ask((call) => seat.keep(call)))
          if (!isKept) return mandate.end(`it is held by ${seat.holder ?? 'nobody'}`)
        } catch (err) {
          log.warn({ ...fields, err }, 'lease could not be renewed')
        }
      }
    }

    /** Whether `run` ended by itself. */
    async function lead(mandate: Mandate): Promise<boolean> {
      const stop = AbortSignal.any([signal, mandate.signal])
      const ended = new AbortController()
      const renewing = renew(mandate, ended.signal)
      log.info(fields, 'leading')
      state.set({ lease: name }, 1)
      try {
        if (!stop.aborted) await run(stop)
      } catch (error) {
        if (!isAbort(error, stop)) throw error
      } finally {
        ended.abort()
        await renewing
        state.set({ lease: name }, 0)
        log.info({ ...fields, err: mandate.signal.reason }, 'no longer leading')
        await ask((call) => seat.release(call)).catch((err) => log.warn({ ...fields, err }, 'lease not released'))
      }
      return !stop.aborted
    }

    while (!signal.aborted) {
      using mandate = await campaign()
      if (!mandate || (await lead(mandate))) return
    }
  }
}

/**
 * The right to lead. Each write that succeeds gives it for `ms` from the moment it was sent, not answered: the others
 * may have seen it from then on.
 */
class Mandate {
  readonly #clock: Clock
  readonly #ms: number
  readonly #end = new AbortController()
  #expiry: Disposable | undefined

  constructor(clock: Clock, ms: number) {
    this.#clock = clock
    this.#ms = ms
  }

  /** Aborts when it has ended, with what to tell. */
  get signal(): AbortSignal {
    return this.#end.signal
  }

  async renewBy(write: () => Promise<boolean>): Promise<boolean> {
    const expiry = this.#clock.countdown(this.#ms, () => this.end(`it was not renewed for ${this.#ms} ms`))
    let isRenewed = false
    try {
      isRenewed = await write()
      return isRenewed
    } finally {
      const obsolete = isRenewed ? this.#expiry : expiry
      obsolete?.[Symbol.dispose]()
      if (isRenewed) this.#expiry = expiry
    }
  }

  end(detail: string): void {
    this.#end.abort(failures.LEASE_LOST({ detail }))
  }

  [Symbol.dispose](): void {
    this.#expiry?.[Symbol.dispose]()
  }
}
