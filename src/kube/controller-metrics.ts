import type { Metrics } from '../core/metrics.ts'

const outcomes = ['done', 'requeueAfter', 'terminal', 'conflict', 'error'] as const

/** What a reconcile came to, as it is counted. A conflict is no error: someone else was faster. */
export type CountedOutcome = (typeof outcomes)[number]

/** What a running controller tells when it is asked. */
export interface Readings {
  depth(): number
  running(): number
}

/** Those that run, by name. Two of one name, as one for each spoke, are told as their sum. */
const liveByName = new WeakMap<Metrics, Map<string, Set<Readings>>>()

export interface ControllerMetrics {
  /** Counts these readings in until it is disposed. */
  live(readings: Readings): Disposable
  reconciled(outcome: CountedOutcome, seconds: number): void
}

/** Every series of the controller exists, at 0, before its first reconcile. */
export function controllerMetrics(metrics: Metrics, controller: string): ControllerMetrics {
  const labels = { controller: [controller] }
  const here = { controller }
  const total = metrics.counter('lanyard_kube_reconciles_total', 'Reconciles by what they came to', {
    ...labels,
    outcome: outcomes,
  })
  const seconds = metrics.histogram('lanyard_kube_reconcile_seconds', 'Time one reconcile took', labels)
  const names = liveByName.get(metrics) ?? new Map<string, Set<Readings>>()
  liveByName.set(metrics, names)
  const known = names.get(controller)
  const live = known ?? new Set<Readings>()
  names.set(controller, live)
  if (!known) {
    const sum = (read: (readings: Readings) => number) => [...live].reduce((all, one) => all + read(one), 0)
    metrics.gauge('lanyard_kube_queue_items', 'Keys that are due and wait for a worker', labels, {
      collect: (gauge) =>
        gauge.set(
          here,
          sum(({ depth }) => depth()),
        ),
    })
    metrics.gauge('lanyard_kube_running_items', 'Reconciles that run now', labels, {
      collect: (gauge) =>
        gauge.set(
          here,
          sum(({ running }) => running()),
        ),
    })
  }
  return {
    live(readings) {
      live.add(readings)
      return { [Symbol.dispose]: () => void live.delete(readings) }
    },
    reconciled(outcome, took) {
      total.inc({ ...here, outcome })
      seconds.observe(here, took)
    },
  }
}
