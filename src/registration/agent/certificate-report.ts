import type { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import { ManagedCluster as ManagedClusters } from '../../apis/cluster/managed-cluster.ts'
import { backoffMs } from '../../core/backoff.ts'
import type { Clock } from '../../core/clock.ts'
import type { ConditionReport } from '../../core/conditions.ts'
import { setCondition } from '../../core/conditions.ts'
import type { Run } from '../../core/lifecycle.ts'
import { isAbort } from '../../core/lifecycle.ts'
import type { Log } from '../../core/log.ts'
import type { Random } from '../../core/random.ts'
import { isConflict } from '../../kube/failures.ts'
import type { Informer } from '../../kube/informer.ts'
import type { Kube } from '../../kube/kube.ts'
import { bell } from './member/bell.ts'
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
  const news = bell(clock)
  const paced = pace(clock, random)

  /** Milliseconds until what there is to write may be written. */
  async function write(): Promise<number | undefined> {
    const wanted = options.wanted()
    const object = self.get(cluster)
    if (!wanted || !object) return undefined
    const known = object.status?.conditions ?? []
    const conditions = setCondition(known as Parameters<typeof setCondition>[0], wanted, clock.now())
    if (conditions === known) return undefined
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
    return undefined
  }

  return {
    poke: news.ring,
    async run(signal) {
      using _ = self.on(() => news.ring())
      for (let failures = 0; !signal.aborted; ) {
        news.reset()
        let waitMs: number | undefined
        try {
          waitMs = await write()
          failures = 0
        } catch (err) {
          waitMs = backoffMs(failures++, { baseMs: 500, maxMs: 60_000 }, random)
          if (!isConflict(err)) log.warn({ err, cluster, nextTryMs: waitMs }, 'certificate condition not written')
        }
        await news.wait(waitMs, signal).catch((error: unknown) => {
          if (!isAbort(error, signal)) throw error
        })
      }
    },
  }
}
