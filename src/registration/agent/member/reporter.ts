import { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import { backoffMs } from '../../../core/backoff.ts'
import { findCondition } from '../../../core/conditions.ts'
import type { Run } from '../../../core/lifecycle.ts'
import { isAbort } from '../../../core/lifecycle.ts'
import { conditions } from '../../../fleet/names.ts'
import type { EventRecorder } from '../../../kube/events.ts'
import { isConflict } from '../../../kube/failures.ts'
import type { Stored } from '../../../kube/objects.ts'
import { reasons } from '../../reasons.ts'
import type { MemberDeps } from '../deps.ts'
import { pace } from '../pace.ts'
import type { Bell } from './bell.ts'
import { isAccepted } from './lease.ts'
import type { Facts, StatusPatch } from './status.ts'
import { statusPatch } from './status.ts'

export interface ReporterDeps
  extends Pick<MemberDeps, 'cluster' | 'hub' | 'self' | 'clock' | 'random' | 'log' | 'metrics'> {
  events: EventRecorder
  /** Rings when there may be something to report. */
  news: Bell
  facts(mine: Stored<ManagedCluster>): Facts
  /** What people are told of claims that the hub does not show. */
  missingClaims(): string | undefined
}

const retry = { baseMs: 50, maxMs: 30_000 }
/** Others write the same status: their changes are read and ours put on top, so often without a pause. */
const mostConflicts = 5

/** Writes what the agent knows to the status of its ManagedCluster: what has changed, in one patch, while it is accepted. */
export function reporter(deps: ReporterDeps): Run {
  const { cluster, hub, self, clock, random, log, news } = deps
  const collection = hub.of(ManagedCluster.resource)
  const counted = deps.metrics.counter('lanyard_registration_status_writes_total', 'Writes to the status on the hub', {
    result: ['written', 'conflict', 'failed'],
  })
  /** The answer to the newest write, until the informer has it. */
  let written: Stored<ManagedCluster> | undefined
  let told: string | undefined
  const paced = pace(clock, random)

  function latest(): Stored<ManagedCluster> | undefined {
    const seen = self.get(cluster)
    if (!seen || !written || seen.metadata.uid !== written.metadata.uid || isAtLeast(seen, written)) written = undefined
    return written ?? seen
  }

  async function write(mine: Stored<ManagedCluster>, status: StatusPatch, signal: AbortSignal): Promise<void> {
    const { resourceVersion } = mine.metadata
    const body = { metadata: { resourceVersion }, status }
    written = await collection.patch(cluster, { type: 'merge', body }, { subresource: 'status', signal })
    delete written.metadata.managedFields
    counted.inc({ result: 'written' })
    tellAvailability(mine, written)
  }

  /** One look, and what follows from it. Milliseconds until what there is to write may be written. */
  async function report(signal: AbortSignal): Promise<number | undefined> {
    let mine = latest()
    let leftMs = 0
    for (let conflicts = 0; mine && isAccepted(mine); conflicts += 1) {
      const facts = deps.facts(mine)
      const patch = statusPatch(mine.status, facts, clock.now())
      if (!patch) break
      const words = wordsOf(facts)
      leftMs = paced.leftMs(words)
      if (leftMs > 0) break
      try {
        await write(mine, patch, signal)
        paced.written(words)
        break
      } catch (error) {
        if (!isConflict(error) || conflicts >= mostConflicts) throw error
        counted.inc({ result: 'conflict' })
        mine = await collection.find(cluster, { signal })
      }
    }
    if (mine && isAccepted(mine)) tellMissingClaims(mine)
    return leftMs > 0 ? leftMs : undefined
  }

  function tellAvailability(before: Stored<ManagedCluster>, after: Stored<ManagedCluster>): void {
    const now = findCondition(after.status?.conditions, conditions.available)
    if (now && now.status !== findCondition(before.status?.conditions, conditions.available)?.status)
      deps.events.record(ManagedCluster.resource, inOwnNamespace(after), {
        ...(now.status === 'True'
          ? { reason: reasons.Available }
          : { type: 'Warning' as const, reason: reasons.Unavailable }),
        message: now.message,
      })
  }

  function tellMissingClaims(mine: Stored<ManagedCluster>): void {
    const message = deps.missingClaims()
    if (message !== undefined && message !== told)
      deps.events.record(ManagedCluster.resource, inOwnNamespace(mine), {
        type: 'Warning',
        reason: reasons.CustomClusterClaimsTruncated,
        message,
      })
    told = message
  }

  /** The agent may write events there and nowhere else. */
  const inOwnNamespace = (mine: Stored<ManagedCluster>): Stored<ManagedCluster> => ({
    ...mine,
    metadata: { ...mine.metadata, namespace: cluster },
  })

  async function run(signal: AbortSignal): Promise<void> {
    using _ = self.on(() => news.ring())
    let attempt = 0
    while (!signal.aborted) {
      news.reset()
      try {
        const leftMs = await report(signal)
        attempt = 0
        await news.wait(leftMs, signal)
      } catch (err) {
        signal.throwIfAborted()
        const nextTryMs = backoffMs(attempt++, retry, random)
        counted.inc({ result: 'failed' })
        // Rights that were given a moment ago may not be known to every API server yet.
        log[attempt > 5 ? 'warn' : 'debug']({ err, cluster, attempt, nextTryMs }, 'status not written')
        await news.wait(nextTryMs, signal)
      }
    }
  }

  return (signal) =>
    run(signal).catch((error) => {
      if (!isAbort(error, signal)) throw error
    })
}

/** What of the facts goes to the hub: the same words are the same report. */
const wordsOf = ({ available, version, nodes, claims, namespaces }: Facts): string =>
  JSON.stringify([available, version, nodes, claims, [...namespaces]])

/** Versions are numbers on every server that is known; where they are not, only the same one is. */
function isAtLeast(seen: Stored<ManagedCluster>, written: Stored<ManagedCluster>): boolean {
  const [a, b] = [seen.metadata.resourceVersion, written.metadata.resourceVersion]
  return a === b || (/^\d+$/.test(a) && /^\d+$/.test(b) && BigInt(a) > BigInt(b))
}
