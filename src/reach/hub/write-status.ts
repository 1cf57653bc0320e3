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
}

/**
 * Writes what `decide` makes of the status that is there, unless that is the same. Guarded by the version: of several who
 * write at once each decides on what the other left. Undefined when the object is gone, or another one than was looked at.
 */
export async function writeStatus(
  kube: Kube,
  seen: Stored<ClusterConfig>,
  decide: (config: Stored<ClusterConfig>) => Status,
  signal: AbortSignal,
): Promise<Written | undefined> {
  const { name, namespace, uid, generation } = seen.metadata
  const configs = kube.of(ClusterConfig.resource, namespace)
  let latest: Stored<ClusterConfig> | undefined = seen
  for (let tries = 1; latest?.metadata.uid === uid && latest.metadata.generation === generation; tries += 1) {
    const status = decide(latest)
    if (isDeepStrictEqual(status, latest.status ?? {})) return { before: latest, status }
    const body = { metadata: { resourceVersion: latest.metadata.resourceVersion }, status: replacing(status) }
    try {
      await configs.patch(name, { type: 'merge', body }, { subresource: 'status', signal })
      return { before: latest, status }
    } catch (error) {
      if (!isConflict(error) || tries === mostTries) throw error
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
