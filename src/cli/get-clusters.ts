import { ManagedCluster } from '../apis/cluster/managed-cluster.ts'
import { ManagedClusterSet } from '../apis/cluster/managed-cluster-set.ts'
import { sleep } from '../core/clock.ts'
import { isAbort, runTogether } from '../core/lifecycle.ts'
import { isForbidden, isNotFound } from '../kube/failures.ts'
import { informer, withoutManagedFields } from '../kube/informer.ts'
import type { Kube } from '../kube/kube.ts'
import type { Stored } from '../kube/objects.ts'
import { isMember } from '../registration/hub/sets/membership.ts'
import { failures } from '../registration/operations/failures.ts'
import type { ClusterOverview } from '../registration/overview/cluster-overview.ts'
import { overviewIn, readClusters } from '../registration/overview/read-clusters.ts'
import type { Called } from './called.ts'
import { inCalledForm } from './called.ts'
import { clusterColumns } from './get.ts'
import type { CommandDeps } from './open-hub.ts'
import type { OutputFormat } from './output.ts'
import { formatData } from './output.ts'
import { formatTable } from './table.ts'

export interface ShowClusters {
  kube: Kube
  /** Empty: all. */
  names: readonly string[]
  output: OutputFormat
  watch?: boolean
  clusterset?: string
  print(text: string): void
  called: Called
}

/** Prints clusters once, or with `watch` whenever one of them changes. */
export async function showClusters(asked: ShowClusters, deps: CommandDeps): Promise<void> {
  const { output, print, watch = false } = asked
  const show = (rows: readonly ClusterOverview[]) =>
    output === 'json' || output === 'yaml'
      ? print(formatData(output, rows))
      : print(
          formatTable(
            clusterColumns(() => deps.clock.now()),
            rows,
            output === 'wide',
          ),
        )
  const first = await overviews(asked, deps)
  if (first.length === 0 && output !== 'json' && output !== 'yaml' && !watch)
    return print(
      inCalledForm('No clusters yet. `lanyard token` prints the command that lets one join.\n', asked.called),
    )
  show(first)
  if (watch) await followChanges(asked, deps, first, show)
}

async function overviews({ kube, names, clusterset }: ShowClusters, { signal }: CommandDeps) {
  const [snapshot, sets] = await Promise.all([readClusters(kube, { signal }), knownSets(kube, signal)])
  const known = new Set(snapshot.clusters.map(({ metadata }) => metadata.name))
  const unknown = names.find((name) => !known.has(name))
  if (unknown !== undefined) throw failures.CLUSTER_UNKNOWN({ cluster: unknown })
  return snapshot.clusters
    .filter(({ metadata }) => names.length === 0 || names.includes(metadata.name))
    .map((cluster) => ({ ...overviewIn(snapshot, cluster), ...(sets && { sets: setsOf(cluster, sets) }) }))
    .filter((row) => clusterset === undefined || row.sets.includes(clusterset))
    .toSorted((a, b) => a.name.localeCompare(b.name))
}

export const setsOf = (cluster: Stored<ManagedCluster>, sets: readonly Stored<ManagedClusterSet>[]): string[] =>
  sets.filter((set) => isMember(set, cluster)).map(({ metadata }) => metadata.name)

/** Undefined where this user may not list them, or there are none: the label of a cluster then tells its set. */
export async function knownSets(kube: Kube, signal: AbortSignal) {
  try {
    return (await kube.of(ManagedClusterSet.resource).list({ signal })).items
  } catch (error) {
    if (isForbidden(error) || isNotFound(error)) return undefined
    throw error
  }
}

/** What changes within this time is printed together. */
const gatherMs = 250

async function followChanges(
  asked: ShowClusters,
  deps: CommandDeps,
  first: readonly ClusterOverview[],
  show: (rows: readonly ClusterOverview[]) => void,
): Promise<void> {
  const clusters = informer(asked.kube.of(ManagedCluster.resource).metadata, {
    ...deps,
    transform: withoutManagedFields,
  })
  let told = new Map(first.map((row) => [row.name, signature(row)]))
  const looking = async (signal: AbortSignal) => {
    await clusters.synced(signal)
    let changed = Promise.withResolvers<void>()
    using _subscription = clusters.on(() => changed.resolve())
    while (!signal.aborted) {
      await Promise.race([changed.promise, sleep(deps.clock, 30_000, signal)])
      await sleep(deps.clock, gatherMs, signal)
      changed = Promise.withResolvers()
      const rows = await overviews({ ...asked, names: [] }, deps)
      const news = rows.filter((row) => told.get(row.name) !== signature(row))
      told = new Map(rows.map((row) => [row.name, signature(row)]))
      const wanted = news.filter(({ name }) => asked.names.length === 0 || asked.names.includes(name))
      if (wanted.length > 0) show(wanted)
    }
  }
  try {
    await runTogether(deps.signal, [clusters.run, looking])
  } catch (error) {
    if (!isAbort(error, deps.signal)) throw error
  }
}

/** What makes a row worth printing again: a heartbeat alone does not. */
const signature = ({ heardAt: _, ...row }: ClusterOverview): string => JSON.stringify(row)
