import { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import { backoffMs } from '../../core/backoff.ts'
import type { Clock } from '../../core/clock.ts'
import { after } from '../../core/clock.ts'
import type { Run } from '../../core/lifecycle.ts'
import { isAbort } from '../../core/lifecycle.ts'
import type { Log } from '../../core/log.ts'
import type { Random } from '../../core/random.ts'
import { wakeUp } from '../../core/wake-up.ts'
import { annotations } from '../../fleet/names.ts'
import { isAlreadyExists, isForbidden, isUnauthorized } from '../../kube/failures.ts'
import type { Kube } from '../../kube/kube.ts'
import type { AgentSettings } from './deps.ts'

type ClusterSettings = Pick<AgentSettings, 'externalServerUrls' | 'clusterAnnotations'>

/** The ManagedCluster as its agent asks for it. Whether it is accepted is for the hub to say. */
export function newCluster(
  name: string,
  { externalServerUrls, clusterAnnotations }: ClusterSettings,
  marks: Readonly<Record<string, string>> = {},
): ManagedCluster {
  const wanted = Object.entries(clusterAnnotations).filter(([key]) => key.startsWith(annotations.agentPrefix))
  const ours = { ...Object.fromEntries(wanted), ...marks }
  return {
    metadata: { name, ...(Object.keys(ours).length > 0 && { annotations: ours }) },
    spec: {
      hubAcceptsClient: false,
      ...(externalServerUrls.length > 0 && { managedClusterClientConfigs: clientConfigs([], externalServerUrls) }),
    },
  }
}

type ClientConfigs = NonNullable<NonNullable<ManagedCluster['spec']>['managedClusterClientConfigs']>

/** Those that are there, with ours added or brought up to date by URL. */
export function clientConfigs(there: ClientConfigs, ours: AgentSettings['externalServerUrls']): ClientConfigs {
  const added = new Map(there.map((config) => [config.url, config]))
  for (const { url, caBundle } of ours) added.set(url, { url, ...(caBundle !== undefined && { caBundle }) })
  return [...added.values()]
}

export interface ClusterCreationOptions {
  cluster: string
  settings: ClusterSettings & Pick<AgentSettings, 'createRetryMs'>
  /** Annotations by which the hub tells how the cluster joins. They win over those of the settings. */
  marks?: Readonly<Record<string, string>>
  /** As the bootstrap user. */
  bootstrap(): Promise<Kube>
  clock: Clock
  random: Random
  log: Log
  /** The cluster is on the hub, whoever made it. */
  onFound?(): void
}

/**
 * Sees to it that the ManagedCluster exists, once: one that an administrator deletes later is not made again. A user
 * who may not look or create is no reason to give up, for somebody else may create it: tried again at an interval.
 */
export function clusterCreation(options: ClusterCreationOptions): { run: Run; poke(): void } {
  const { cluster, settings, clock, random, log } = options
  const wake = wakeUp(clock)

  async function ensure(): Promise<void> {
    const clusters = (await options.bootstrap()).of(ManagedCluster.resource)
    if (await clusters.find(cluster)) return
    try {
      await clusters.create(newCluster(cluster, settings, options.marks))
      log.info('managed cluster created on the hub')
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
    }
  }

  return {
    poke: wake.poke,
    async run(signal) {
      for (let failures = 0; !signal.aborted; failures += 1) {
        wake.reset()
        try {
          await ensure()
          options.onFound?.()
          return
        } catch (err) {
          const isRefused = isForbidden(err) || isUnauthorized(err)
          const longestMs = isRefused ? settings.createRetryMs : Math.min(settings.createRetryMs, 30_000)
          const nextTryMs = backoffMs(failures, { baseMs: 1_000, maxMs: longestMs }, random)
          log.warn({ err, cluster, nextTryMs }, 'managed cluster could not be created on the hub')
          await wake.wait(after(clock.now(), nextTryMs), signal).catch((error: unknown) => {
            if (!isAbort(error, signal)) throw error
          })
        }
      }
    },
  }
}
