import { isDeepStrictEqual } from 'node:util'
import { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import { isConflict } from '../../kube/failures.ts'
import type { Kube } from '../../kube/kube.ts'
import type { Stored } from '../../kube/objects.ts'
import type { Status } from './status-of.ts'

const mostTries = 5

/** What was there before, and what is there now. */
export interface Written {
  readonly before: Stored<ClusterConfig>
  readonly status: Status
  /** The object's, as far as this process knows it by now. */
  readonly version: string
}

export interface Writing {
  signal: AbortSignal
  /** What came of the last write of this process. What is `seen` of another version may be older than that. */
  version?: string | undefined
}

/**
 * Writes what `decide` makes of the status that is there, unless that is the same. Guarded by the version: of several who
 * write at once each decides on what the other left. That nothing is to be written is not believed of what may be older
 * than what this process wrote itself. Undefined when the object is gone, or another one than was looked at.
 */
export async function writeStatus(
  kube: Kube,
  seen: Stored<ClusterConfig>,
  decide: (config: Stored<ClusterConfig>) => Status,
  { signal, version }: Writing,
): Promise<Written | undefined> {
  const { name, namespace, uid, generation } = seen.metadata
  const configs = kube.of(ClusterConfig.resource, namespace)
  let latest: Stored<ClusterConfig> | undefined = seen
  let isInDoubt = version !== undefined && version !== seen.metadata.resourceVersion
  for (let tries = 1; latest?.metadata.uid === uid && latest.metadata.generation === generation; tries += 1) {
    const status = decide(latest)
    if (isDeepStrictEqual(status, latest.status ?? {})) {
      if (!isInDoubt) return { before: latest, status, version: latest.metadata.resourceVersion }
      isInDoubt = false
      latest = await configs.find(name, { signal })
      continue
    }
    const body = { metadata: { resourceVersion: latest.metadata.resourceVersion }, status: replacing(status) }
    try {
      const { metadata } = await configs.patch(name, { type: 'merge', body }, { subresource: 'status', signal })
      return { before: latest, status, version: metadata.resourceVersion }
    } catch (error) {
      if (!isConflict(error) || tries === mostTries) throw error
      isInDoubt = false
      latest = await configs.find(name, { signal })
    }
  }
  return undefined
}

/** As a merge patch: what is absent goes. */
const replacing = ({ server = null, tls = null, ...status }: Status | { server: null; tls: null }) => ({
  ...status,
  server,
  tls: tls && { fingerprint: null, offeredFingerprint: null, ...tls },
})
