import type { Lease } from 'kubernetes-types/coordination/v1.d.ts'
import type { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import { backoffMs } from '../../../core/backoff.ts'
import { isTrue } from '../../../core/conditions.ts'
import type { Run } from '../../../core/lifecycle.ts'
import { isAbort } from '../../../core/lifecycle.ts'
import type { Random } from '../../../core/random.ts'
import { conditions, leaseName } from '../../../fleet/names.ts'
import { isConflict, isNotFound } from '../../../kube/failures.ts'
import { leases } from '../../../kube/kinds.ts'
import { microTime } from '../../../kube/lease-record.ts'
import type { Stored } from '../../../kube/objects.ts'
import type { MemberDeps } from '../deps.ts'
import { bell } from './bell.ts'

export interface Heartbeat {
  readonly run: Run
  /** How often the hub has taken a renewal since the start. */
  readonly renewals: number
  /** Renews now, whenever the next renewal is due. */
  renewNow(): void
}

export type HeartbeatDeps = Pick<MemberDeps, 'cluster' | 'hub' | 'self' | 'clock' | 'random' | 'log' | 'metrics'>

const defaultLeaseSeconds = 60

export const isAccepted = (cluster: ManagedCluster | undefined): boolean =>
  isTrue(cluster?.status?.conditions, conditions.accepted)

export const leaseDurationMs = (cluster: ManagedCluster | undefined): number =>
  (cluster?.spec?.leaseDurationSeconds || defaultLeaseSeconds) * 1_000

/** Drawn anew for each renewal, so that a fleet does not fall into step. */
export const renewalPauseMs = (durationMs: number, random: Random): number => durationMs * (1 + random.fraction() / 4)

/** A hub gives five durations, so that several tries fit in even where each of them hangs. */
export const retryPauseMs = (attempt: number, durationMs: number, random: Random): number =>
  backoffMs(attempt, { baseMs: 100, maxMs: Math.max(500, durationMs / 4) }, random)

/**
 * Renews the lease while the hub accepts the cluster. The lease is written with the version that the last renewal left,
 * which takes one request; only where somebody else has changed it, it is read again.
 */
export function heartbeat(deps: HeartbeatDeps, onRenewed: (at: Date) => void): Heartbeat {
  const { cluster, hub, self, clock, random, log, metrics } = deps
  const collection = hub.of(leases, cluster)
  const due = bell(clock)
  const counted = metrics.counter('lanyard_registration_lease_renewals_total', 'Renewals of the lease on the hub', {
    result: ['renewed', 'failed'],
  })
  let known: Stored<Lease> | undefined
  let renewals = 0

  async function renew(signal: AbortSignal, durationMs: number): Promise<void> {
    const options = { signal, deadlineMs: Math.max(1_000, Math.min(10_000, durationMs / 2)) }
    const write = async (lease: Stored<Lease>) => {
      const spec = { ...lease.spec, renewTime: microTime(clock.now()) }
      known = withoutManagers(await collection.update({ ...lease, spec }, options))
    }
    if (known) {
      try {
        return await write(known)
      } catch (error) {
        known = undefined
        if (!isConflict(error) && !isNotFound(error)) throw error
      }
    }
    await write(withoutManagers(await collection.get(leaseName, options)))
  }

  async function run(signal: AbortSignal): Promise<void> {
    using _ = self.on(({ type, object }) => {
      if (object.metadata.name === cluster && type !== 'deleted') watch(object)
      else due.ring()
    })
    let attempt = 0
    while (!signal.aborted) {
      due.reset()
      const mine = self.get(cluster)
      if (!isAccepted(mine)) {
        attempt = 0
        await due.wait(undefined, signal)
        continue
      }
      const durationMs = leaseDurationMs(mine)
      try {
        await renew(signal, durationMs)
        attempt = 0
        renewals += 1
        counted.inc({ result: 'renewed' })
        onRenewed(clock.now())
        await due.wait(renewalPauseMs(durationMs, random), signal)
      } catch (err) {
        signal.throwIfAborted()
        const nextTryMs = retryPauseMs(attempt++, durationMs, random)
        counted.inc({ result: 'failed' })
        // The hub makes the lease just after it has accepted: the first tries may come too early.
        log[attempt > 3 ? 'warn' : 'debug']({ err, cluster, attempt, nextTryMs }, 'lease not renewed')
        await due.wait(nextTryMs, signal)
      }
    }
  }

  /** What the current rhythm follows from. */
  let rhythm = ''
  /** Ends the pause when there is a new cluster, another duration, or acceptance comes or goes. */
  function watch(mine: Stored<ManagedCluster>): void {
    const next = [mine.metadata.uid, isAccepted(mine), leaseDurationMs(mine)].join()
    if (next === rhythm) return
    rhythm = next
    due.ring()
  }

  return {
    run: (signal) =>
      run(signal).catch((error) => {
        if (!isAbort(error, signal)) throw error
      }),
    get renewals() {
      return renewals
    },
    renewNow: due.ring,
  }
}

/** The server keeps its own record of them; sending it back is only weight. */
function withoutManagers(lease: Stored<Lease>): Stored<Lease> {
  delete lease.metadata.managedFields
  return lease
}
