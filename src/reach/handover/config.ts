import { isDeepStrictEqual } from 'node:util'
import type { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import type { Named } from '../../fleet/wanted/named.ts'
import { isAlreadyExists } from '../../kube/failures.ts'
import type { Collection } from '../../kube/kube.ts'
import type { Stored } from '../../kube/objects.ts'
import { failures } from './failures.ts'
import { isOurs } from './hub-objects.ts'

/**
 * The ClusterConfig of what an agent hands over. Only how the hub gets in is put right again: whatever else people say in
 * it, such as its tenant or its pace, is theirs.
 */
export async function ensureConfig(
  collection: Collection<ClusterConfig>,
  wanted: Named<ClusterConfig>,
  existing: Stored<ClusterConfig> | undefined,
  signal: AbortSignal,
): Promise<{ isNew: boolean }> {
  if (!existing) {
    try {
      await collection.create(wanted, { signal })
      return { isNew: true }
    } catch (error) {
      // Ours from a moment ago, or somebody else was quicker: the informer will tell.
      if (!isAlreadyExists(error)) throw error
      const found = await collection.find(wanted.metadata.name, { signal })
      if (found && !isOurs(found))
        throw failures.HANDOVER_TAKEN({
          kind: 'ClusterConfig',
          name: `${found.metadata.namespace}/${found.metadata.name}`,
        })
      return { isNew: false }
    }
  }
  if (!leadsElsewhere(wanted, existing)) return { isNew: false }
  const body = { metadata: { labels: wanted.metadata.labels }, spec: { ...otherWays, ...wanted.spec } }
  await collection.patch(wanted.metadata.name, { type: 'merge', body }, { signal })
  return { isNew: false }
}

const otherWays = { oidcAuth: null, oidcFromIdentityProvider: null }

function leadsElsewhere(wanted: Named<ClusterConfig>, { metadata, spec }: Stored<ClusterConfig>): boolean {
  const isChanged = Object.entries(wanted.spec).some(
    ([field, value]) => !isDeepStrictEqual((spec as Record<string, unknown>)[field], value),
  )
  const hasOther = spec.oidcAuth !== undefined || spec.oidcFromIdentityProvider !== undefined
  return (
    isChanged ||
    hasOther ||
    Object.entries(wanted.metadata.labels).some(([key, value]) => metadata.labels?.[key] !== value)
  )
}
