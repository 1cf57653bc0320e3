import type { BackoffOptions } from './backoff.ts'
import { backoffMs } from './backoff.ts'
import type { Clock } from './clock.ts'
import { after } from './clock.ts'
import { isFailure } from './failure.ts'
import type { Run } from './lifecycle.ts'
import { isAbort } from './lifecycle.ts'
import type { Log } from './log.ts'
import type { Issuance, Keep, Kept, Pass, Pending } from './pass.ts'
import type { Random } from './random.ts'
import type { Reason } from './reason.ts'
import { reasons } from './reasons.ts'
import type { RenewalWindow } from './renewal.ts'
import { defaultWindow, isDue, isExpired, renewalOf } from './renewal.ts'
import { wakeUp } from './wake-up.ts'

/** How a pass stands, told after every step that changed anything. Becomes a condition or a line for a person. */
export interface Report {
  readonly state: Reason
  /** Whether a valid pass is at hand, whatever the state of its renewal. */
  readonly usable: boolean
  readonly pass?: Pass
  readonly message?: string
  /** When the loop acts next by itself; absent while it only waits for `poke`. */
  readonly nextAt?: Date
}

export interface KeepFreshOptions<M> {
  issuance: Issuance<M>
  keep: Keep<M>
  /** Called after what it tells has been saved. A throw is logged and does not stop the loop. */
  report(report: Report): void | Promise<void>
  clock: Clock
  random: Random
  log: Log
  window?: RenewalWindow
  /** Between tries when the issuer or the keep cannot be reached. Default 1 second to 5 minutes. */
  retry?: BackoffOptions
  /** Between a refusal and the next request, when the issuer names no time. Default 10 seconds to 1 hour. */
  refusal?: BackoffOptions
}

export interface KeepFresh {
  readonly run: Run
  /** Something changed that the issuance should look at now: an approval, a deleted secret, a new hub address. */
  poke(): void
}

/** What one turn of the loop ends in: act again at once, at a moment, or when poked. */
type Rest = { readonly until: 'now' | 'poke' | Date }

/**
 * Gets a pass and keeps it fresh. Each turn loads what is on record, asks the issuance for one step, stores the answer,
 * reports it and rests. All state is in the keep: killed anywhere, the next start goes on from the record.
 */
export function keepFresh<M>(options: KeepFreshOptions<M>): KeepFresh {
  const { clock, random, log } = options
  const retry = options.retry ?? { baseMs: 1_000, maxMs: 300_000 }
  const window = options.window ?? defaultWindow
  const refusal = options.refusal ?? { baseMs: 10_000, maxMs: 3_600_000 }
  const wake = wakeUp(clock)
  let failures = 0
  let drawn: (Pass & { renewAt: Date }) | undefined

  async function tell(report: Report): Promise<void> {
    log.debug({ pass: report.pass?.id, state: report.state, usable: report.usable, nextAt: report.nextAt }, 'pass step')
    try {
      await options.report(report)
    } catch (err) {
      log.warn({ err, state: report.state }, 'report of a pass failed')
    }
  }

  /** A keep may not store `renewAt`; drawn once for each pass then, so that the issuance sees it come due. */
  function dated(pass: Pass): Pass {
    if (pass.renewAt || !pass.expiresAt) return pass
    if (drawn?.fingerprint !== pass.fingerprint) {
      drawn = { ...pass, renewAt: renewalOf(pass, pass.issuedAt, window, random) ?? pass.expiresAt }
    }
    return { ...pass, renewAt: drawn.renewAt }
  }

  /** An issuance that names a moment already past must not make the loop spin. */
  const laterWake = (wake: Date | undefined, now: Date): Rest['until'] =>
    wake === undefined ? 'poke' : wake > now ? wake : after(now, retry.baseMs)

  async function turn(): Promise<Rest> {
    const { kept: loaded, pending } = await keepSafe(() => options.keep.load())
    const kept = loaded && { ...loaded, pass: dated(loaded.pass) }
    const now = clock.now()
    const about = async (state: Reason, rest: Rest, message?: string): Promise<Rest> => {
      await tell(reportOf(state, now, kept?.pass, rest, message))
      return rest
    }
    const refused = async (reason: Reason, message?: string, at?: Date): Promise<Rest> => {
      const refusals = pending?.refusals ?? 0
      const retryAt = at && at > now ? at : after(now, backoffMs(refusals, refusal, random))
      const { name, createdAt } = pending ?? { name: 'none', createdAt: now }
      const over = {
        name,
        createdAt,
        refusals: refusals + 1,
        refused: { reason, at: now, retryAt, ...(message && { message }) },
      }
      await keepSafe(() => options.keep.savePending(over))
      failures = 0
      return about(reason, { until: retryAt }, message)
    }

    // A clock that is now before the refusal was set back since: the pause on record means nothing any more.
    if (pending?.refused && pending.refused.at <= now && now < pending.refused.retryAt) {
      return about(pending.refused.reason, { until: pending.refused.retryAt }, pending.refused.message)
    }
    const live = pending?.refused ? undefined : pending
    const step = await options.issuance.next(now, kept, live)
    if (step.step === 'refused') return refused(step.reason, step.message, step.retryAt)
    if (step.step === 'waiting') {
      if (!step.pending || isSameRequest(step.pending, live)) {
        failures = 0
        return about(step.for, { until: laterWake(step.wake, now) })
      }
      const saved = { ...step.pending, ...(pending?.refusals && { refusals: pending.refusals }) }
      await keepSafe(() => options.keep.savePending(saved))
      failures = 0
      return about(step.for, { until: 'now' })
    }
    const isNews = live !== undefined || step.pass.fingerprint !== kept?.pass.fingerprint
    if (!isNews) return stillGood(dated(step.pass), now)
    if (isExpired(step.pass, now)) return refused(reasons.ArrivedExpired)
    return received({ pass: step.pass, material: step.material }, now)
  }

  async function received({ pass: given, material }: Kept<M>, now: Date): Promise<Rest> {
    const renewAt = renewalOf(given, now, window, random)
    const pass = { ...given, ...(renewAt && { renewAt }) }
    await keepSafe(() => options.keep.save({ pass, material }))
    failures = 0
    const rest: Rest = { until: renewAt ?? 'poke' }
    await tell(reportOf(reasons.PassIssued, now, pass, rest))
    return rest
  }

  /** The issuance has nothing better than what is kept. If that is due all the same, asking again must not spin. */
  async function stillGood(pass: Pass, now: Date): Promise<Rest> {
    if (!isDue(pass, now)) failures = 0
    const rest: Rest = {
      until: isDue(pass, now) ? after(now, backoffMs(failures++, retry, random)) : (pass.renewAt ?? 'poke'),
    }
    await tell(reportOf(isExpired(pass, now) ? reasons.PassExpired : reasons.PassIssued, now, pass, rest))
    return rest
  }

  async function failed(error: unknown): Promise<Rest> {
    const now = clock.now()
    const nextTryMs = backoffMs(failures++, retry, random)
    const rest = { until: after(now, nextTryMs) }
    const state = error instanceof KeepUnavailable ? reasons.KeepUnavailable : reasons.IssuanceFailed
    const cause = error instanceof KeepUnavailable ? error.cause : error
    log.warn({ err: cause, state, attempt: failures, nextTryMs }, 'step towards a pass failed')
    const kept = await options.keep.load().then(
      ({ kept }) => kept,
      () => undefined,
    )
    await tell(reportOf(state, now, kept?.pass, rest, isFailure(cause) ? cause.message : undefined))
    return rest
  }

  async function run(signal: AbortSignal): Promise<void> {
    let atOnce = 0
    while (!signal.aborted) {
      wake.reset()
      const { until } = await turn().catch(failed)
      // Twice in a row means that what was just saved did not come back, as from a cache that lags behind.
      atOnce = until === 'now' ? atOnce + 1 : 0
      if (atOnce === 1) continue
      const pause = until === 'now' ? after(clock.now(), backoffMs(atOnce - 2, retry, random)) : until
      try {
        await wake.wait(pause === 'poke' ? undefined : pause, signal)
      } catch (error) {
        if (!isAbort(error, signal)) throw error
      }
    }
  }
  return { run, poke: wake.poke }
}

/** Tells a failing keep from a failing issuer, so that each gets its own reason. */
class KeepUnavailable extends Error {}

async function keepSafe<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (cause) {
    throw new KeepUnavailable('the keep failed', { cause })
  }
}

const isSameRequest = (a: Pending, b: Pending | undefined): boolean =>
  a.name === b?.name &&
  a.createdAt.getTime() === b.createdAt.getTime() &&
  (a.material === b.material || (a.material !== undefined && b.material !== undefined && a.material.equals(b.material)))

function reportOf(state: Reason, now: Date, pass: Pass | undefined, rest: Rest, message?: string): Report {
  const nextAt = rest.until === 'now' ? now : rest.until === 'poke' ? undefined : rest.until
  const usable = pass !== undefined && !isExpired(pass, now)
  return { state, usable, ...(pass && { pass }), ...(message && { message }), ...(nextAt && { nextAt }) }
}
