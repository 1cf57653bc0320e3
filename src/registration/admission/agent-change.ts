import { isDeepStrictEqual } from 'node:util'
import type { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import { defaultLeaseSeconds, withSet } from './default-cluster.ts'

/** What agents write: how their cluster is reached, and that they leave, which `changesAcceptance` has the other half of. */
const agentsOwn: readonly string[] = ['managedClusterClientConfigs', 'hubAcceptsClient']

/**
 * The first field that differs and is not an agent's to change: labels put a cluster into sets, taints keep work away,
 * finalizers hold the record of its acceptance. Annotations are looked at elsewhere. What the hub fills in at any write,
 * it may fill in at an agent's as well.
 */
export function fieldForbidden(old: ManagedCluster, sent: ManagedCluster): string | undefined {
  const [before, after] = [fieldsOf(old), fieldsOf(sent)]
  return [...new Set([...before.keys(), ...after.keys()])].find(
    (field) => !isDeepStrictEqual(before.get(field), after.get(field)),
  )
}

function fieldsOf({ metadata, spec = {} }: ManagedCluster): Map<string, unknown> {
  const filled = { ...spec, leaseDurationSeconds: spec.leaseDurationSeconds || defaultLeaseSeconds }
  const { finalizers, ownerReferences } = metadata ?? {}
  return new Map<string, unknown>([
    ...Object.entries(withSet(metadata?.labels)).map(([key, value]) => [`metadata.labels[${key}]`, value] as const),
    ['metadata.finalizers', listOf(finalizers)],
    ['metadata.ownerReferences', listOf(ownerReferences)],
    ...Object.entries({ ...filled, taints: listOf(spec.taints) })
      .filter(([field]) => !agentsOwn.includes(field))
      .map(([field, value]) => [`spec.${field}`, value] as const),
  ])
}

const listOf = <T>(list: readonly T[] | null | undefined): readonly T[] => list ?? []
