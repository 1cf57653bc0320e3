import { setTimeout as sleep } from 'node:timers/promises'
import type { Lease } from 'kubernetes-types/coordination/v1.d.ts'
import { systemRandom } from '../../src/core/random.ts'
import { leaseName } from '../../src/fleet/names.ts'
import { isConflict, isForbidden, isNotFound } from '../../src/kube/failures.ts'
import { leases } from '../../src/kube/kinds.ts'
import type { Kube } from '../../src/kube/kube.ts'
import { microTime } from '../../src/kube/lease-record.ts'
import type { Stored } from '../../src/kube/objects.ts'
import { renewalPauseMs } from '../../src/registration/agent/member/lease.ts'

const durationMs = 60_000
const retryMs = 100

/** The leases of many clusters, renewed as their agents would: one request each, at the real rate and with its jitter. */
export interface Heartbeats {
  /** Returns when the cluster has its lease and it was renewed once. */
  begin(cluster: string): Promise<void>
  renewed(): number
  failed(): number
  /** Milliseconds. */
  slowest(): number
  stop(): Promise<void>
}

export function heartbeats(kube: Kube): Heartbeats {
  let [renewed, failed, slowest] = [0, 0, 0]
  const timers = new Map<string, NodeJS.Timeout>()
  let isStopped = false

  async function renew(cluster: string, lease: Stored<Lease>): Promise<Stored<Lease>> {
    const startedAt = performance.now()
    const spec = { ...lease.spec, renewTime: microTime(new Date()) }
    const next = await kube.of(leases, cluster).update({ ...lease, spec })
    delete next.metadata.managedFields
    renewed += 1
    slowest = Math.max(slowest, performance.now() - startedAt)
    return next
  }

  function schedule(cluster: string, lease: Stored<Lease>): void {
    if (isStopped) return
    const timer = setTimeout(
      () =>
        void renew(cluster, lease).then(
          (next) => schedule(cluster, next),
          () => {
            failed += 1
            void read(cluster).then((found) => schedule(cluster, found))
          },
        ),
      renewalPauseMs(durationMs, systemRandom),
    )
    timers.set(cluster, timer)
  }

  async function read(cluster: string): Promise<Stored<Lease>> {
    for (;;) {
      try {
        return await kube.of(leases, cluster).get(leaseName)
      } catch (error) {
        if (!isNotFound(error) && !isForbidden(error)) throw error
        await sleep(retryMs)
      }
    }
  }

  return {
    async begin(cluster) {
      for (;;) {
        try {
          return schedule(cluster, await renew(cluster, await read(cluster)))
        } catch (error) {
          if (!isConflict(error)) throw error
        }
      }
    },
    renewed: () => renewed,
    failed: () => failed,
    slowest: () => Math.round(slowest),
    async stop() {
      isStopped = true
      for (const timer of timers.values()) clearTimeout(timer)
    },
  }
}
