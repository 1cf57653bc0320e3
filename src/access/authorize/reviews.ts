import { sleep } from '../../core/clock.ts'
import { isFailure } from '../../core/failure.ts'
import type { Run } from '../../core/lifecycle.ts'
import { aborted } from '../../core/lifecycle.ts'
import { concerns } from '../../fleet/spoke/index.ts'
import { deadline } from '../../kube/deadline.ts'
import { isForbidden } from '../../kube/failures.ts'
import { subjectAccessReviews } from '../../kube/kinds.ts'
import type { AccessHubDeps } from '../hub/deps.ts'
import { reviewUser } from '../names.ts'
import { ClusterReviews } from './cluster-reviews.ts'
import type { Asked, Review, Reviews } from './contract.ts'
import { failures } from './failures.ts'
import type { HubUsers } from './hub-users.ts'
import { LearnedHubUsers } from './hub-users.ts'
import { reviewMetrics } from './metrics.ts'
import { longestKey, reviewKey } from './review-key.ts'
import { overload } from './wording.ts'

/** Of one cluster: more would only wait for their turn there, and be late. */
const mostInFlight = 64
/** Of one cluster. A few kilobytes for each person at work there. */
const mostKept = 1_000
/** Of one cluster, for people who want to understand a decision; and how many more may wait for their turn. */
const mostAsides = 8
const mostQueued = 64
const sweepEveryMs = 60_000

export type ReviewsDeps = Pick<AccessHubDeps, 'spokes' | 'spokeView' | 'clock' | 'log' | 'metrics' | 'settings'>

export interface RunningReviews extends Reviews, HubUsers {
  /** For people who want to understand a decision: the same answers, few at a time, and never in the way of a decision. */
  readonly aside: Reviews
  readonly run: Run
  /** The hub is about to ask something of the cluster: whom that takes it for had better be known. */
  open(cluster: string, signal: AbortSignal): Promise<void>
}

/** Whether a group may, by the cluster itself: asked once for whoever wants to know, and remembered for some seconds. */
export function createReviews(deps: ReviewsDeps): RunningReviews {
  const { spokes, spokeView, clock, log, settings } = deps
  const clusters = new Map<string, ClusterReviews>()
  const hubUsers = new LearnedHubUsers(deps)
  const counted = reviewMetrics(deps.metrics, () => [...clusters.values()].reduce((sum, { size }) => sum + size, 0))

  function of(cluster: string): ClusterReviews {
    const found = clusters.get(cluster)
    if (found) return found
    const made = new ClusterReviews(mostKept)
    clusters.set(cluster, made)
    return made
  }

  async function opened(cluster: string, signal: AbortSignal) {
    const { kube } = await spokes.open(cluster, { signal })
    hubUsers.learn(cluster, kube)
    return kube
  }

  async function fetch(cluster: string, groups: readonly string[], asked: Asked): Promise<Review> {
    const { spokeDeadlineMs: deadlineMs } = settings()
    using limit = deadline(clock, deadlineMs, () => failures.ACCESS_REVIEW_LATE({ cluster, deadlineMs }))
    try {
      const kube = await opened(cluster, limit.signal)
      const options = { signal: limit.signal, deadlineMs }
      const { status } = await kube.of(subjectAccessReviews).create(questionOf(groups, asked), options)
      return status?.allowed === true && status.denied !== true ? allowed : refused
    } catch (err) {
      log.debug({ err, cluster }, 'a cluster could not be asked whether a group may')
      return { answer: 'unknown', why: whyUnknown(err) }
    }
  }

  async function fly(state: ClusterReviews, cluster: string, key: string, groups: readonly string[], asked: Asked) {
    const review = await fetch(cluster, groups, asked)
    counted.answered(review.answer)
    // What was asked before the cluster changed is told to those who asked, and to nobody after them.
    if (review.answer === 'unknown' || clusters.get(cluster) !== state || key.length > longestKey) return review
    const { reviewTtlMs } = settings()
    state.keep(key, review, clock.now().getTime(), reviewTtlMs[review.answer])
    return review
  }

  function ask(cluster: string, groups: readonly string[], asked: Asked): Review | Promise<Review> {
    const state = of(cluster)
    const key = reviewKey(groups, asked)
    const kept = state.get(key, clock.now().getTime())
    if (kept) {
      counted.answered('kept')
      return kept
    }
    const flight = state.flights.get(key)
    if (flight) return flight
    if (state.flights.size >= mostInFlight) {
      counted.answered('overload')
      return tooMany
    }
    const started = fly(state, cluster, key, groups, asked).finally(() => state.flights.delete(key))
    state.flights.set(key, started)
    return started
  }

  function askAside(cluster: string, groups: readonly string[], asked: Asked): Review | Promise<Review> {
    const state = of(cluster)
    const key = reviewKey(groups, asked)
    const known = state.get(key, clock.now().getTime()) ?? state.flights.get(key) ?? state.asides.get(key)
    if (known) return known
    if (state.queue.length >= mostQueued) return tooMany
    const started = inTurn(state, () => fly(state, cluster, key, groups, asked)).finally(() => state.asides.delete(key))
    state.asides.set(key, started)
    return started
  }

  /** A turn is handed on, so that nobody who comes later gets it first. */
  async function inTurn(state: ClusterReviews, go: () => Promise<Review>): Promise<Review> {
    if (state.asking < mostAsides) state.asking += 1
    else await new Promise<void>((resolve) => state.queue.push(resolve))
    try {
      return await go()
    } finally {
      const next = state.queue.shift()
      if (next) next()
      else state.asking -= 1
    }
  }

  const forget = (cluster: string) => void clusters.delete(cluster)

  /** What nobody asks about any more goes with its cluster. */
  function sweep(): void {
    const nowMs = clock.now().getTime()
    for (const [cluster, { flights, asides, lastUntilMs }] of clusters)
      if (flights.size === 0 && asides.size === 0 && nowMs >= lastUntilMs) clusters.delete(cluster)
  }

  const run: Run = async (signal) => {
    using _configs = spokeView.configs.on((change) => {
      const { name, uid, generation } = change.object.metadata
      const before = change.type === 'updated' ? change.previous.metadata : undefined
      if (before?.uid !== uid || before.generation !== generation) forget(name)
      if (change.type === 'deleted') hubUsers.forget(name)
    })
    using _providers = spokeView.providers.on(({ object }) => {
      for (const { metadata } of spokeView.configs.byIndex('provider', object.metadata.name)) forget(metadata.name)
    })
    using _secrets = spokeView.secretChanges.on((key, _, changed) => {
      for (const config of spokeView.configs.byIndex('secret', key))
        if (concerns(config, key, changed)) forget(config.metadata.name)
    })
    const over = aborted(signal)
    while (!signal.aborted) {
      await Promise.race([over, sleep(clock, sweepEveryMs, signal).catch(() => {})])
      sweep()
    }
  }

  return {
    ask,
    aside: { ask: askAside },
    isHubUser: (cluster, user) => hubUsers.isHubUser(cluster, user),
    open: async (cluster, signal) => void (await opened(cluster, signal)),
    run,
  }
}

const allowed: Review = { answer: 'allowed' }
const refused: Review = { answer: 'refused' }
const tooMany: Review = { answer: 'unknown', why: overload }

/** As nobody, with these groups and no other: what everybody may do is no reason to grant. */
function questionOf(groups: readonly string[], { verb, resource, path }: Asked) {
  const spec = { user: reviewUser, groups: [...groups] }
  if (!resource) return { spec: { ...spec, nonResourceAttributes: { verb, path: path ?? '' } } }
  return { spec: { ...spec, resourceAttributes: { verb, ...resource } } }
}

/** For whoever is refused because of it: not where the cluster is, nor what is wrong with the way into it. */
function whyUnknown(error: unknown): string {
  if (isForbidden(error)) return 'the hub has no right to ask the cluster'
  if (isFailure(error, 'ACCESS_REVIEW_LATE') || isFailure(error, 'KUBE_DEADLINE'))
    return 'the cluster did not answer in time'
  return 'the cluster cannot be asked at the moment'
}
