import { createHash } from 'node:crypto'
import type { Subject } from 'kubernetes-types/rbac/v1.d.ts'
import type { Manifest } from '../manifests/manifest.ts'
import { clusterRole, clusterRoleBinding, rule } from '../manifests/rbac.ts'
import { needs } from './needs.ts'

/** Of the ClusterRole, on a cluster that the hub gets into. */
export const spokeRole = 'lanyard-reach'

/** What the hub needs on a cluster, for this identity of it there. Applied by an administrator of the cluster. */
export const spokeRbacManifests = (subject: Subject): Manifest[] => [
  clusterRole(
    spokeRole,
    needs.map(({ group, resource, verbs }) => rule(group, [resource], [...verbs])),
  ),
  clusterRoleBinding(spokeBinding(subject), spokeRole, [subject]),
]

/** Of its own for each identity: a cluster may be got into by several hubs, and each by its own account. */
export function spokeBinding({ kind, namespace, name }: Subject): string {
  const words = kind === 'ServiceAccount' ? [namespace ?? '', name] : [kind.toLowerCase(), name]
  const plain = [spokeRole, ...words].join(':')
  const safe = plain.replace(/[^A-Za-z0-9:._-]+/g, '-')
  // Names of users may hold what a name of a binding may not, and two of them may then look alike.
  return safe === plain && safe.length <= 253 ? safe : `${safe.slice(0, 236)}:${digest(plain)}`
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16)
