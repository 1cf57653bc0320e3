import type { BackoffOptions } from '../core/backoff.ts'
import type { Clock } from '../core/clock.ts'
import type { Failure } from '../core/failure.ts'
import type { Run } from '../core/lifecycle.ts'
import { aborted, isAbort } from '../core/lifecycle.ts'
import type { Log } from '../core/log.ts'
import type { Metrics } from '../core/metrics.ts'
import { noMetrics } from '../core/metrics.ts'
import type { Outcome } from '../core/outcome.ts'
import type { Random } from '../core/random.ts'
import type { CountedOutcome } from './controller-metrics.ts'
import { controllerMetrics } from './controller-metrics.ts'
import { deadline } from './deadline.ts'
import { isConflict } from './failures.ts'
import type { Key } from './objects.ts'
import { WorkQueue } from './queue.ts'
import { runtimeFailures } from './runtime-failures.ts'
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
  const { clock, random, log, watches = [], metrics = noMetrics, workers = 4, deadlineMs = 60_000 } = options
  const wished = new Set<Key>()
  /** The code of the last terminal outcome, while it lasts. */
  const terminals = new Map<Key, string>()
  let queue: WorkQueue | undefined
  let running = 0
  const counts = controllerMetrics(metrics, name, { depth: () => queue?.depth ?? 0, running: () => running })
  const enqueue = (key: Key) => void (queue ? queue.add(key) : wished.add(key))

  /** What is asked of the queue next. Everything is logged here, once, and nowhere below. */
  function settle(work: WorkQueue, key: Key, ended: Ended, stop: AbortSignal): CountedOutcome | undefined {
    if (ended.outcome !== 'terminal') terminals.delete(key)
    switch (ended.outcome) {
      case 'done':
        work.forget(key)
        return 'done'
      case 'requeueAfter':
        work.forget(key)
        work.addAfter(key, ended.ms)
        return 'requeueAfter'
      case 'terminal': {
        work.forget(key)
        const { failure } = ended
        if (terminals.get(key) === failure.code) return 'terminal'
        terminals.set(key, failure.code)
        log.error({ controller: name, key, err: failure }, 'reconcile cannot succeed')
        options.onTerminal?.(key, failure)
        return 'terminal'
      }
      case 'failed': {
        if (stop.aborted) return undefined
        const attempt = work.attempts(key) + 1
        const nextTryMs = work.addRateLimited(key)
        const fields = { controller: name, key, attempt, nextTryMs, err: ended.error }
        if (isConflict(ended.error)) log.debug(fields, 'reconcile met a newer version')
        else log.warn(fields, 'reconcile failed')
        return isConflict(ended.error) ? 'conflict' : 'error'
      }
    }
  }

  /** Runs one key to its end, however late that is. `over` is called when its worker may go on without it. */
  async function work(queued: WorkQueue, key: Key, stop: AbortSignal): Promise<void> {
    const startedAt = clock.now().getTime()
    const timedOut = () => runtimeFailures.RECONCILE_DEADLINE({ controller: name, key, deadlineMs })
    using limit = deadline(clock, deadlineMs, timedOut, stop)
    const context = {
      signal: limit.signal,
      attempt: queued.attempts(key),
      log: log.child({ controller: name, key, reconcileId: random.suffix(8) }),
    }
    running += 1
    const ending = attempt(() => reconcile(key, context))
  }
}

type Ended = Outcome | { readonly outcome: 'failed'; readonly error: unknown }
