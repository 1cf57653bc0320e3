import type { Clock } from '../../core/clock.ts'
import { deadline } from '../../kube/deadline.ts'
import type { PolicyFacts } from '../policies/contract.ts'
import type { AccessSettings } from '../settings.ts'
import { failures } from './failures.ts'

export interface TimelyFactsDeps {
  clock: Pick<Clock, 'now' | 'countdown'>
  settings(): Pick<AccessSettings, 'spokeDeadlineMs'>
  policies: { factsOf(cluster: string): PolicyFacts }
  reviews: { open(cluster: string, signal: AbortSignal): Promise<void> }
}

/** What policies ask of a cluster by then, in milliseconds since the epoch. */
export type FactsBy = (endMs: number) => PolicyFacts

/** Each within the deadline of a cluster. What cannot be had in time cannot be had. */
export function timelyFacts(cluster: string, { policies, reviews, clock, settings }: TimelyFactsDeps): FactsBy {
  const facts = policies.factsOf(cluster)
  return (endMs) => {
    const within = async <T>(ask: (signal: AbortSignal) => Promise<T>, parent: AbortSignal): Promise<T | undefined> => {
      const deadlineMs = Math.max(0, Math.min(settings().spokeDeadlineMs, endMs - clock.now().getTime()))
      using limit = deadline(clock, deadlineMs, () => failures.ACCESS_REVIEW_LATE({ cluster, deadlineMs }), parent)
      const late = Promise.withResolvers<undefined>()
      limit.signal.addEventListener('abort', () => late.resolve(undefined), { once: true })
      reviews.open(cluster, limit.signal).catch(() => {})
      return await Promise.race([ask(limit.signal).catch(() => undefined), late.promise])
    }
    return {
      namespaceLabels: (namespace, signal) => within((until) => facts.namespaceLabels(namespace, until), signal),
      pod: (namespace, name, signal) => within((until) => facts.pod(namespace, name, until), signal),
      isNamespaced: (group, resource, signal) => within((until) => facts.isNamespaced(group, resource, until), signal),
    }
  }
}
