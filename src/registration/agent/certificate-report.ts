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
import { pause } from '../../kube/pause.ts'
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

  /** What was written, if anything was to be. */
  async function write(): Promise<ConditionReport | undefined> {
    const wanted = options.wanted()
    const object = self.get(cluster)
    if (!wanted || !object) return undefined
    const known = object.status?.conditions ?? []
    const conditions = setCondition(known as Parameters<typeof setCondition>[0], wanted, clock.now())
    if (conditions === known) return undefined
    const { resourceVersion } = object.metadata
    await hub
      .of(ManagedClusters.resource)
      .patch(
        cluster,
        { type: 'merge', body: { metadata: { resourceVersion }, status: { conditions } } },
        { subresource: 'status' },
      )
    options.onWritten()
    return wanted
  }

  return {
    poke: wake.poke,
    async run(signal) {
      using _ = self.on(wake.poke)
      const pauseAfter = pace(clock, random)
      for (let failures = 0; !signal.aborted; ) {
        wake.reset()
        let retryAt: Date | undefined
        try {
          const told = await write()
          failures = 0
          const pauseMs = told ? pauseAfter(JSON.stringify(told)) : 0
          if (pauseMs > 0) await pause(clock, pauseMs, signal)
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
