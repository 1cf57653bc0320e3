import type { Metrics } from '../../core/metrics.ts'
import type { Decision, DecisionSource, Scope } from './contract.ts'
import { decisionSources } from './contract.ts'
import type { Phase } from './question.ts'
import { phases } from './question.ts'
import { unreads } from './read-review.ts'

const verdicts = ['allowed', 'denied', 'noOpinion'] as const
const scopes = ['all', 'policies'] as const
/** For every name that no ClusterConfig has: a stranger must not be able to make series. */
export const unknownCluster = '_unknown'

const refusals = ['unauthorized', 'failed', ...unreads] as const
export type Refusal = (typeof refusals)[number]

export interface DecisionMetrics {
  /** `waitedMs`: undefined where it was made at once. */
  decided(cluster: string, decision: Decision, scope: Scope, waitedMs: number | undefined): void
  refused(why: Refusal): void
  /** Somebody had to wait for the turn of their cluster. */
  waited(): void
}

type ByVerdict = Record<(typeof verdicts)[number], number>
const nothingYet = (): ByVerdict => ({ allowed: 0, denied: 0, noOpinion: 0 })

/**
 * Decisions are counted in plain numbers, and told when somebody looks: a counter with labels costs as much as all the
 * rest of the commonest answer. `isKnown`: whether there is a cluster of this name, so that it may be a label.
 */
export function decisionMetrics(metrics: Metrics, isKnown: (cluster: string) => boolean): DecisionMetrics {
  const bySource = new Map<string, ByVerdict>()
  const byCluster = new Map<string, ByVerdict>([[unknownCluster, nothingYet()]])
  // Declared before the counters, so that what it tells them is in the same scrape.
  metrics.gauge(
    'lanyard_access_asking_clusters_items',
    'Clusters that asked for a decision',
    {},
    {
      collect(gauge) {
        tell()
        gauge.set(byCluster.size - 1)
      },
    },
  )
  const decisions = metrics.counter('lanyard_access_decisions_total', 'Decisions by what they rest on', {
    decision: verdicts,
    source: decisionSources,
    scope: scopes,
  })
  /** To declare it again is to add a value. */
  const ofCluster = (cluster: string) =>
    metrics.counter('lanyard_access_cluster_decisions_total', 'Decisions by cluster', {
      cluster: [cluster] as readonly string[],
      decision: verdicts,
    })
  const clusters = ofCluster(unknownCluster)
  const seconds = metrics.histogram(
    'lanyard_access_decision_seconds',
    'Time until a decision was made that had to wait for something',
    { decision: verdicts },
    { buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 1.5] },
  )
  const refused = metrics.counter('lanyard_access_webhook_refusals_total', 'Requests that were not decided on', {
    reason: refusals,
  })
  const waits = metrics.counter(
    'lanyard_access_webhook_waits_total',
    'Requests that came faster than their cluster may',
  )

  function tell(): void {
    for (const scope of scopes)
      for (const source of decisionSources)
        taken(bySource.get(sourceKey(scope, source)), (decision, by) => decisions.inc({ decision, source, scope }, by))
    for (const [cluster, counts] of byCluster) taken(counts, (decision, by) => clusters.inc({ cluster, decision }, by))
  }

  function countsOf(cluster: string): ByVerdict {
    const known = byCluster.get(cluster)
    if (known) return known
    if (!isKnown(cluster)) return countsOf(unknownCluster)
    ofCluster(cluster)
    const counts = nothingYet()
    byCluster.set(cluster, counts)
    return counts
  }

  return {
    decided(cluster, { verdict, source }, scope, waitedMs) {
      const key = sourceKey(scope, source)
      const counts = bySource.get(key)
      if (counts) counts[verdict] += 1
      else bySource.set(key, { ...nothingYet(), [verdict]: 1 })
      countsOf(cluster)[verdict] += 1
      if (waitedMs !== undefined) seconds.observe({ decision: verdict }, waitedMs / 1_000)
    },
    refused: (reason) => refused.inc({ reason }),
    waited: () => waits.inc(),
  }
}

const sourceKey = (scope: Scope, source: DecisionSource): string => (scope === 'all' ? source : `${scope} ${source}`)

function taken(counts: ByVerdict | undefined, tell: (verdict: keyof ByVerdict, by: number) => void): void {
  if (!counts) return
  for (const verdict of verdicts) {
    if (counts[verdict] > 0) tell(verdict, counts[verdict])
    counts[verdict] = 0
  }
}

export function phaseMetrics(metrics: Metrics): (phase: Phase, ms: number) => void {
  const seconds = metrics.histogram(
    'lanyard_access_decision_phase_seconds',
    'How long decisions waited, by what for',
    { phase: phases },
    { buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 0.8, 1] },
  )
  return (phase, ms) => seconds.observe({ phase }, ms / 1_000)
}

const reviewResults = ['allowed', 'refused', 'unknown', 'kept', 'overload'] as const

export function reviewMetrics(metrics: Metrics, kept: () => number) {
  const reviews = metrics.counter('lanyard_access_reviews_total', 'Questions to clusters by what came of them', {
    result: reviewResults,
  })
  metrics.gauge(
    'lanyard_access_reviews_kept_items',
    'Answers of clusters that are remembered',
    {},
    {
      collect: (gauge) => gauge.set(kept()),
    },
  )
  return { answered: (result: (typeof reviewResults)[number]): void => reviews.inc({ result }) }
}

const flushResults = ['written', 'gone', 'failed'] as const

export function activityMetrics(metrics: Metrics, waiting: () => number) {
  const flushes = metrics.counter('lanyard_access_activity_flushes_total', 'Writes of when sessions were used', {
    result: flushResults,
  })
  metrics.gauge(
    'lanyard_access_activity_waiting_items',
    'Sessions whose use is not written yet',
    {},
    {
      collect: (gauge) => gauge.set(waiting()),
    },
  )
  return { flushed: (result: (typeof flushResults)[number]): void => flushes.inc({ result }) }
}
