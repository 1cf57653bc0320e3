import type { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import { ManagedCluster as ManagedClusters } from '../../apis/cluster/managed-cluster.ts'
import { backoffMs } from '../../core/backoff.ts'
import type { Clock } from '../../core/clock.ts'
import { after } from '../../core/clock.ts'
import type { ConditionReport } from '../../core/conditions.ts'
import { setCondition } from '../../core/conditions.ts'
import type { Run } from '../../core/lifecycle.ts'
import { isAbort } from '../../core/lifecycle.ts'
import type { Log } from '../../core/log.ts'
import type { Random } from '../../core/random.ts'
import { wakeUp } from '../../core/wake-up.ts'
import { isConflict } from '../../kube/failures.ts'
import type { Informer } from '../../kube/informer.ts'
import type { Kube } from '../../kube/kube.ts'
import { pace } from './pace.ts'

export interface CertificateReportOptions {
  cluster: string
  hub: Kube
  self: Informer<ManagedCluster>
  /** What the hub should be told; undefined: nothing for now. */
  wanted(): ConditionReport | undefined
  clock: Clock
  random: Random
  log: Log
  onWritten(): void
}

/** Keeps the certificate's condition on the ManagedCluster as `wanted` has it. */
export function certificateReport(options: CertificateReportOptions): { run: Run; poke(): void } {
  const { cluster, hub, self, clock, random, log } = options
  const wake = wakeUp(clock)
  const paced = pace(clock, random)

  /** Milliseconds until it may be written, where it may not yet. */
  async function write(): Promise<number> {
    const wanted = options.wanted()
    const object = self.get(cluster)
    if (!wanted || !object) return 0
    const known = object.status?.conditions ?? []
    const conditions = setCondition(known as Parameters<typeof setCondition>[0], wanted, clock.now())
    if (conditions === known) return 0
    const words = JSON.stringify(wanted)
    const leftMs = paced.leftMs(words)
    if (leftMs > 0) return leftMs
    const { resourceVersion } = object.metadata
    await hub
      .of(ManagedClusters.resource)
      .patch(
        cluster,
        { type: 'merge', body: { metadata: { resourceVersion }, status: { conditions } } },
        { subresource: 'status' },
      )
    paced.written(words)
    options.onWritten()
    return 0
  }

  return {
    poke: wake.poke,
    async run(signal) {
      using _ = self.on(wake.poke)
      for (let failures = 0; !signal.aborted; ) {
        wake.reset()
        let retryAt: Date | undefined
        try {
          const leftMs = await write()
          failures = 0
          if (leftMs > 0) retryAt = after(clock.now(), leftMs)
        } catch (err) {
          retryAt = after(clock.now(), backoffMs(failures++, { baseMs: 500, maxMs: 60_000 }, random))
          if (!isConflict(err)) log.warn({ err, cluster, retryAt }, 'certificate condition not written')
        }
        await wake.wait(retryAt, signal).catch((error: unknown) => {
          if (!isAbort(error, signal)) throw error
        })
      }
    },
  }
}
