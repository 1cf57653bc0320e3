import type { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import type { Clock } from '../../../core/clock.ts'
import type { Failure } from '../../../core/failure.ts'
import { isFailure } from '../../../core/failure.ts'
import type { Log } from '../../../core/log.ts'
import type { Metrics } from '../../../core/metrics.ts'
import type { Outcome } from '../../../core/outcome.ts'
import { done, requeueAfter } from '../../../core/outcome.ts'
import type { Random } from '../../../core/random.ts'
import type { Controller } from '../../../kube/controller.ts'
import { controller } from '../../../kube/controller.ts'
import { isConflict } from '../../../kube/failures.ts'
import type { Informer } from '../../../kube/informer.ts'
import type { Stored } from '../../../kube/objects.ts'
import { changesOf, watching } from '../../../kube/watching.ts'
import type { AwsGrant } from './hub-grant.ts'
import { isGranted } from './hub-grant.ts'
import { trustedMs } from './hub-seen.ts'

export interface UpkeepDeps {
  clusters: Pick<Informer<ManagedCluster>, 'get' | 'on' | 'synced'>
  clock: Clock
  random: Random
  log: Log
  metrics?: Metrics
  /** That a cluster's access may not be what it should be: its condition says what was so at its acceptance. */
  tell: (cluster: Stored<ManagedCluster>, failure: Failure) => void
}

/** Few: IAM answers a whole account only so often. */
const workers = 2

/** AWS tells nobody when somebody changes a role: what was granted is looked at again about every quarter of an hour. */
export const upkeepController = (deps: UpkeepDeps, grant: Pick<AwsGrant, 'keepUp'>): Controller =>
  controller(
    'aws-upkeep',
    async (key, { signal }) => {
      const cluster = deps.clusters.get(key)
      if (!cluster || !isGranted(cluster)) return done
      const kept = await telling(deps, cluster, grant.keepUp(cluster, signal))
      if (kept.outcome === 'requeueAfter') return kept
      // Not for good, as it is elsewhere: what is wrong may be put right without a change that this controller hears of.
      if (kept.outcome === 'terminal') {
        deps.log.warn({ cluster: key, err: kept.failure }, 'AWS access is not kept up')
        deps.tell(cluster, kept.failure)
      }
      return requeueAfter(Math.round(trustedMs * (1 + deps.random.fraction())))
    },
    { ...deps, workers, watches: [watching(deps.clusters, undefined, { when: changesOf(isGranted) })] },
  )

/** What fails is told with each try: events are counted, and gone after an hour. */
async function telling(
  { tell }: UpkeepDeps,
  cluster: Stored<ManagedCluster>,
  keeping: Promise<Outcome>,
): Promise<Outcome> {
  try {
    return await keeping
  } catch (error) {
    if (isFailure(error) && !isConflict(error)) tell(cluster, error)
    throw error
  }
}
