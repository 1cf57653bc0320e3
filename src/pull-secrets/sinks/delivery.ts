/**
 * Carries every change of a document to every sink, and takes copies away where nothing is served any more. It runs beside
 * everything else: no request waits for a sink, and no sink for another.
 */
import { backoffMs } from '../../core/backoff.ts'
import { after } from '../../core/clock.ts'
import { isFailure } from '../../core/failure.ts'
import { isAbort } from '../../core/lifecycle.ts'
import { loopActor } from '../actor.ts'
import type { PullDeps } from '../deps.ts'
import { recordEvaluation } from '../events/status.ts'
import type { Loop } from '../loop.ts'
import type { Issuing } from '../service.ts'
import { transact } from '../store/database.ts'
import type { Due } from './delivery-rows.ts'
import {
  claimDue,
  claimUnverified,
  configMark,
  markDrifted,
  markFailed,
  markLooked,
  markPut,
  markRemoved,
} from './delivery-rows.ts'
import type { Sink } from './sink.ts'

export type DeliveryDeps = Omit<PullDeps, 'lock' | 'vault'>

export interface DeliveryOptions {
  sinks: readonly Sink[]
  /** How long a copy goes unlooked at. Default 5 minutes. */
  verifyMs?: number
}

const results = ['put', 'unchanged', 'removed', 'failed', 'drifted'] as const
const atOnce = 4
const aPass = 100
const backoff = { baseMs: 5_000, maxMs: 600_000 }
const actor = loopActor('delivery')
/** Changed since it was claimed, or not complete yet: looked at again soon. */
const notServed = new Set(['PULL_NO_SECRET', 'PULL_SUSPENDED', 'PULL_DELETING'])

export function delivery(
  deps: DeliveryDeps,
  issuing: Pick<Issuing, 'read'>,
  { sinks, verifyMs = 300_000 }: DeliveryOptions,
): Loop {
  const { database, clock, random, log, checkpoint } = deps
  const { db } = database
  const config = configMark(deps.registries)
  const counter = deps.metrics.counter('lanyard_pull_deliveries_total', 'Copies in sinks, by what became of them', {
    sink: sinks.map(({ name }) => name),
    result: results,
  })

  async function deliver(sink: Sink, due: Due, signal: AbortSignal): Promise<(typeof results)[number]> {
    if (due.wanted === 'absent') {
      await sink.remove(due.clusterId, signal)
      await markRemoved(db, sink.name, due.clusterId)
      return 'removed'
    }
    const { document } = await issuing.read(due.clusterId, actor)
    if (document.hash === due.hash) {
      await markLooked(db, sink.name, due)
      return 'unchanged'
    }
    const copy = { clusterId: due.clusterId, document, revision: due.revision + 1 }
    const version = await sink.put(copy, signal)
    checkpoint('pull.delivered')
    await transact(db, async (tx) => {
      const now = clock.now()
      await markPut(tx, sink.name, due, { hash: document.hash, version, now })
      await recordEvaluation(tx, now, due.clusterId, actor)
    })
    return 'put'
  }

  /** Whether the sink answered at all: if not, the rest of it waits for the next tick. */
  async function attempt(sink: Sink, due: Due, signal: AbortSignal): Promise<boolean> {
    try {
      counter.inc({ sink: sink.name, result: await deliver(sink, due, signal) })
      return true
    } catch (error) {
      if (isAbort(error, signal)) throw error
      const code = isFailure(error) ? error.code : 'UNKNOWN'
      if (!notServed.has(code)) {
        counter.inc({ sink: sink.name, result: 'failed' })
        log.warn({ err: error, sink: sink.name, cluster: due.clusterId }, 'a copy could not be delivered')
      }
      const again = after(clock.now(), backoffMs(due.attempts, backoff, random))
      await markFailed(db, sink.name, due, { code, again })
      return !isFailure(error, 'SINK_UNAVAILABLE')
    }
  }

  async function pass(sink: Sink, signal: AbortSignal): Promise<void> {
    for (let done = 0; done < aPass && !signal.aborted; done += atOnce) {
      const due = await claimDue(db, sink.name, config, clock.now(), atOnce)
      if (due.length === 0) break
      const answered = await Promise.all(due.map((one) => attempt(sink, one, signal)))
      if (answered.includes(false)) return
    }
    await verify(sink, signal)
  }

  async function verify(sink: Sink, signal: AbortSignal): Promise<void> {
    if (!sink.holds) return
    const now = clock.now()
    const before = after(now, -verifyMs)
    const copies = await claimUnverified(db, sink.name, { now, before, limit: aPass })
    for (const { clusterId, hash } of copies) {
      signal.throwIfAborted()
      if (await isIntact(sink, clusterId, hash, signal)) continue
      counter.inc({ sink: sink.name, result: 'drifted' })
      log.info({ sink: sink.name, cluster: clusterId }, 'a copy is not as it was put; it is put again')
      await markDrifted(db, sink.name, clusterId)
    }
  }

  /** A sink that does not say is believed, until the next time. */
  async function isIntact(sink: Sink, clusterId: string, hash: string, signal: AbortSignal): Promise<boolean> {
    try {
      return (await sink.holds?.(clusterId, hash, signal)) ?? true
    } catch (error) {
      if (!isFailure(error)) throw error
      log.warn({ err: error, sink: sink.name, cluster: clusterId }, 'a copy could not be looked at')
      return true
    }
  }

  return {
    name: 'delivery',
    everyMs: deps.settings.loops.deliveryMs,
    async tick(signal) {
      const passes = await Promise.allSettled(sinks.map((sink) => pass(sink, signal)))
      const failed = passes.find((one) => one.status === 'rejected')
      if (failed) throw failed.reason
    },
  }
}
