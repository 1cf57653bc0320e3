import type { BackoffOptions } from '../core/backoff.ts'
import type { Clock } from '../core/clock.ts'
import type { Failure } from '../core/failure.ts'
import type { Run } from '../core/lifecycle.ts'
import { isAbort, runTogether } from '../core/lifecycle.ts'
import type { Log } from '../core/log.ts'
import type { Metrics } from '../core/metrics.ts'
import { noMetrics } from '../core/metrics.ts'
import type { Outcome } from '../core/outcome.ts'
import type { Random } from '../core/random.ts'
import type { CountedOutcome } from './controller-metrics.ts'
import { controllerMetrics } from './controller-metrics.ts'
import { deadline } from './deadline.ts'
import { failures, isConflict } from './failures.ts'
import type { Key } from './objects.ts'
import { WorkQueue } from './queue.ts'
import type { Watching } from './watching.ts'

export interface ReconcileContext {
  /** Aborts when the deadline has passed or the controller stops; to be passed to everything that waits. */
  signal: AbortSignal
  /** How often this key has failed since it last ended well. */
  attempt: number
  /** With the fields `controller`, `key` and `reconcileId`. */
  log: Log
}

/** Looks at the world and moves it one step. Level-triggered: it is told which object, never what happened to it. */
export type Reconcile = (key: Key, context: ReconcileContext) => Promise<Outcome>

export interface ControllerOptions {
  clock: Clock
  random: Random
  log: Log
  /** What brings keys; the first reconcile waits until all of it is synced. */
  watches?: readonly Watching[]
  metrics?: Metrics
  /** Reconciles at a time. Default 4. */
  workers?: number
  /** Milliseconds after which a reconcile is told to stop, and its worker goes on without it. Default 60,000. */
  deadlineMs?: number
  /** Waits after a failure, per key. Default: 100 ms, doubling, at most 5 minutes. */
  backoff?: BackoffOptions
  /** Told of a terminal outcome once, until the key comes to anything else: the place for a condition or an event. */
  onTerminal?: (key: Key, failure: Failure) => void
}

export interface Controller {
  readonly name: string
  readonly watches: readonly Watching[]
  /** Asks for a key to be reconciled. While the controller does not run, the wish is kept for the next run. */
  enqueue(key: Key): void
  /**
   * One run at a time; each begins with every key its watches know. On abort the reconciles that run are told to stop
   * and are waited for, up to their deadline.
   */
  readonly run: Run
}

/**
 * @example
 * export const leaseController = (deps: Deps): Controller =>
 *   controller('lease', (key) => reconcile(key, deps), { ...deps, watches: [watching(deps.leases)] })
 */
export function controller(name: string, reconcile: Reconcile, options: ControllerOptions): Controller {
  const { clock, random, log, watches = [], metrics = noMetrics, workers = 4, deadlineMs = 60_000, backoff } = options
  const wished = new Set<Key>()
  /** The code of the last terminal outcome, while it lasts. */
  const terminals = new Map<Key, string>()
  let isRunning = false
  let queue: WorkQueue | undefined
  let running = 0
  const counts = controllerMetrics(metrics, name)
  const enqueue = (key: Key) => void (queue ? queue.add(key) : wished.add(key))

  /** Asks the queue for what is to come, and says what this came to. The one place that logs. */
  function settle(work: WorkQueue, key: Key, end: End): CountedOutcome {
    if (end.outcome !== 'terminal') terminals.delete(key)
    if (end.outcome !== 'failed') work.forget(key)
    switch (end.outcome) {
      case 'done':
        return 'done'
      case 'requeueAfter':
        work.addAfter(key, end.ms)
        return 'requeueAfter'
      case 'terminal':
        reportTerminal(key, end.failure)
        return 'terminal'
      case 'failed': {
        const attempt = work.attempts(key) + 1
        const fields = { controller: name, key, attempt, nextTryMs: work.addRateLimited(key), err: end.error }
        if (!isConflict(end.error)) log.warn(fields, 'reconcile failed')
        else log.debug(fields, 'reconcile met a newer version')
        return isConflict(end.error) ? 'conflict' : 'error'
      }
    }
  }

  function reportTerminal(key: Key, failure: Failure): void {
    if (terminals.get(key) === failure.code) return
    terminals.set(key, failure.code)
    log.error({ controller: name, key, err: failure }, 'reconcile cannot succeed')
    try {
      options.onTerminal?.(key, failure)
    } catch (err) {
      log.error({ controller: name, key, err }, 'terminal outcome could not be reported')
    }
  }

  /** Takes one key to its end, however late that is. */
  async function work(from: WorkQueue, key: Key, stop: AbortSignal): Promise<void> {
    const startedAt = clock.now().getTime()
    const tooLate = () => failures.RECONCILE_DEADLINE({ controller: name, key, deadlineMs })
    using limit = deadline(clock, deadlineMs, tooLate, stop)
    let own: Log | undefined
    const context: ReconcileContext = {
      signal: limit.signal,
      attempt: from.attempts(key),
      // Made when it is asked for: most reconciles have nothing to say.
      get log() {
        own ??= log.child({ controller: name, key, reconcileId: random.suffix(8) })
        return own
      },
    }
    running += 1
    try {
      const end = await ending(() => reconcile(key, context), name, key)
      // What was told to stop and therefore failed has nothing to report; the next run begins with it.
      if (end.outcome === 'failed' && stop.aborted) return
      counts.reconciled(settle(from, key, end), (clock.now().getTime() - startedAt) / 1_000)
    } finally {
      running -= 1
      from.done(key)
    }
  }

  /** A reconcile that ignores its deadline keeps its key, so that no other has it, but not its worker. */
  async function workInTime(from: WorkQueue, key: Key, stop: AbortSignal): Promise<void> {
    const late = Promise.withResolvers<void>()
    using _ = clock.countdown(deadlineMs + graceMs, () => {
      log.error({ controller: name, key, deadlineMs }, 'reconcile ignores its deadline')
      late.resolve()
    })
    await Promise.race([work(from, key, stop), late.promise])
  }

  async function run(signal: AbortSignal): Promise<void> {
    if (isRunning) throw new Error(`controller ${name} already runs`)
    isRunning = true
    using subscriptions = new DisposableStack()
    subscriptions.use(counts.live({ depth: () => queue?.depth ?? 0, running: () => running }))
    try {
      await Promise.all(watches.map((watch) => watch.synced(signal)))
      const own = new WorkQueue({ clock, random, ...(backoff && { backoff }) })
      queue = own
      subscriptions.defer(() => void own.shutdown())
      for (const key of wished) enqueue(key)
      wished.clear()
      for (const watch of watches) subscriptions.use(watch.subscribe(enqueue))
      const worker: Run = async (stop) => {
        for (let key = await own.take(stop); key !== undefined; key = await own.take(stop))
          await workInTime(own, key, stop)
      }
      await runTogether(
        signal,
        Array.from({ length: workers }, () => worker),
      )
    } catch (error) {
      if (!isAbort(error, signal)) throw error
    } finally {
      queue = undefined
      isRunning = false
    }
  }

  return { name, watches, enqueue, run }
}

type End = Outcome | { readonly outcome: 'failed'; readonly error: unknown }

/** How long a reconcile may take to stop after it was told to. */
const graceMs = 5_000

async function ending(reconcile: () => Promise<Outcome>, controller: string, key: Key): Promise<End> {
  try {
    const end = await reconcile()
    // A busy loop would come of NaN, and what is no outcome would be taken for success.
    if (end?.outcome === 'requeueAfter' ? Number.isFinite(end.ms) : end?.outcome) return end
    return { outcome: 'failed', error: failures.RECONCILE_BAD_OUTCOME({ controller, key, detail: kindOf(end) }) }
  } catch (error) {
    return { outcome: 'failed', error }
  }
}

/** Never what it holds: an object returned by mistake may be a Secret. */
function kindOf(end: unknown): string {
  if (typeof end !== 'object' || end === null) return end === null ? 'null' : typeof end
  if (!('outcome' in end && end.outcome === 'requeueAfter')) return 'an object that is no outcome'
  return `requeueAfter ${'ms' in end && typeof end.ms === 'number' ? end.ms : 'without a number'}`
}
