import type { Metrics } from '../core/metrics.ts'

const outcomes = ['done', 'requeueAfter', 'terminal', 'conflict', 'error'] as const

/** What a reconcile came to, as it is counted. A conflict is no error: someone else was faster. */
export type CountedOutcome = (typeof outcomes)[number]

export interface ControllerMetrics {
  reconciled(outcome: CountedOutcome, seconds: number): void
}

/** Every series of the controller exists, at 0, before its first reconcile. */
export function controllerMetrics(
  metrics: Metrics,
  controller: string,
  read: { depth(): number; running(): number },
): ControllerMetrics {
  const labels = { controller: [controller] }
  const here = { controller }
  const total = metrics.counter('lanyard_kube_reconciles_total', 'Reconciles by what they came to', {
    ...labels,
    outcome: outcomes,
  })
  const seconds = metrics.histogram('lanyard_kube_reconcile_seconds', 'Time one reconcile took', labels)
  metrics.gauge('lanyard_kube_queue_items', 'Keys that are due and wait for a worker', labels, {
    collect: (gauge) => gauge.set(here, read.depth()),
  })
  metrics.gauge('lanyard_kube_running_items', 'Reconciles that run now', labels, {
    collect: (gauge) => gauge.set(here, read.running()),
  })
  return {
    reconciled(outcome, took) {
      total.inc({ ...here, outcome })
      seconds.observe(here, took)
    },
  }
}
