import type { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import { namespaces } from '../../kube/kinds.ts'
import type { Kube } from '../../kube/kube.ts'
import type { Stored } from '../../kube/objects.ts'
import { clusterConfigOverview } from '../overview/cluster-config-overview.ts'
import { failures } from './failures.ts'
import type { HereDeps } from './here.ts'
import { withSpokesHere } from './here.ts'

/** By what a cluster is told from others. */
export interface ClusterMark {
  readonly server?: string
  /** SHA-256 of who vouches for its API server. */
  readonly fingerprints: readonly string[]
  /** Of its namespace kube-system: no two clusters have the same. Undefined where one may not look. */
  readonly uid?: string | undefined
}

/**
 * Throws where an administrator's kubeconfig leads to another cluster than the hub's way in. Addresses and CAs may
 * differ for one cluster, so a person may overrule them; the UID of kube-system may not.
 * @returns false where there was nothing to compare
 */
export function mustBeSame(
  name: string,
  hub: ClusterMark,
  there: ClusterMark,
  { mayDiffer = false }: { mayDiffer?: boolean } = {},
): boolean {
  if (hub.uid !== undefined && there.uid !== undefined) {
    if (hub.uid === there.uid) return true
    throw failures.REACH_OTHER_CLUSTER({ name, there: there.server, thereUid: there.uid, hubUid: hub.uid })
  }
  if (hub.server === undefined && hub.fingerprints.length === 0) return false
  const isAlike = hub.server === there.server || hub.fingerprints.some((one) => there.fingerprints.includes(one))
  if (isAlike || mayDiffer) return true
  throw failures.REACH_OTHER_ADDRESS({ name, there: described(there), hub: described(hub) })
}

const described = ({ server = 'an address that is not known yet', fingerprints }: ClusterMark): string =>
  fingerprints.length === 0 ? server : `${server} (CA SHA-256 ${fingerprints.join(', ')})`

/** The cluster that the hub's way leads into: as the hub saw it, and as it shows itself from here where that works. */
export async function markOfWay(config: Stored<ClusterConfig>, deps: HereDeps): Promise<ClusterMark> {
  const { signal } = deps
  const { name, server, fingerprint } = clusterConfigOverview(config)
  const uid = await withSpokesHere(config, deps, async (spokes) =>
    uidOf((await spokes.open(name, { signal })).kube, signal),
  ).catch(() => {
    signal.throwIfAborted()
    return undefined
  })
  return {
    ...(server !== undefined && { server }),
    fingerprints: fingerprint === undefined ? [] : [fingerprint],
    uid,
  }
}

/** Undefined where it cannot be asked. */
export async function uidOf(kube: Kube, signal: AbortSignal): Promise<string | undefined> {
  try {
    return (await kube.of(namespaces).metadata.get('kube-system', { signal })).metadata.uid
  } catch {
    signal.throwIfAborted()
    return undefined
  }
}
