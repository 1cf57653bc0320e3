import { rbacNames } from '../../../fleet/names.ts'
import { isDrift } from '../../../fleet/wanted/drift.ts'
import type { Named } from '../../../fleet/wanted/named.ts'
import type { Informer } from '../../../kube/informer.ts'
import type { Key, KubeObject, Stored } from '../../../kube/objects.ts'
import type { Watching } from '../../../kube/watching.ts'
import { watching } from '../../../kube/watching.ts'
import { isOnRecord } from '../../drivers/marks.ts'
import type { HubDeps } from '../deps.ts'
import { isNews, phaseOf } from './phase.ts'
import type { ClusterRbac } from './rbac.ts'
import { acceptedRbac, clusterNamespace, commonRoles, deniedRbac } from './rbac.ts'

/** The key of what all clusters share. */
export const shared = ''

const commonNames: readonly string[] = [rbacNames.registrationRole, rbacNames.workRole]

/** Whose a role or its binding is, by its whole name; nobody's when it is not one of ours. */
export function ownerOfClusterRight({ metadata }: KubeObject): Key[] {
  const name = metadata?.name ?? ''
  if (commonNames.includes(name)) return [shared]
  const cluster = name.slice(rbacNames.cluster('').length)
  return cluster !== '' && rbacNames.cluster(cluster) === name && !cluster.includes(':') ? [cluster] : []
}

export function ownerOfBinding({ metadata }: KubeObject): Key[] {
  const { name, namespace = '' } = metadata ?? {}
  const isOurs = name === rbacNames.registrationBinding(namespace) || name === rbacNames.workBinding(namespace)
  return isOurs ? [namespace] : []
}

/** What brings a cluster back: what is wanted of it, and whatever leaves its rights other than they should be. */
export function watchesOf({ view, settings }: HubDeps): Watching[] {
  const common = commonRoles(settings.labels)

  const rbacOf = (key: Key): Partial<ClusterRbac> => {
    const cluster = view.clusters.get(key)
    const phase = cluster && phaseOf(cluster)
    if (phase === 'accepted') return acceptedRbac(key, settings.labels)
    return phase === 'denied' ? deniedRbac(key, settings.labels) : {}
  }

  const owned = <T extends KubeObject>(
    informer: Informer<T>,
    ownerOf: (object: KubeObject) => Key[],
    wantedOf: (key: Key, object: Stored<T>) => Named<T> | undefined,
  ) =>
    watching(informer, ownerOf, {
      when: (change) => ownerOf(change.object).some((key) => isDrift(change, wantedOf(key, change.object))),
    })

  const namespaceOf = (key: Key) => {
    const cluster = view.clusters.get(key)
    return cluster && phaseOf(cluster) === 'accepted' ? clusterNamespace(key, settings.labels) : undefined
  }

  return [
    watching(view.clusters, ({ metadata }) => (view.clusters.size === 0 ? [metadata.name, shared] : [metadata.name]), {
      when: isNews,
    }),
    owned(view.namespaces, ({ metadata }) => [metadata?.name ?? ''], namespaceOf),
    // What an earlier cluster of the name had outside of the hub is gone, maybe by a person's hand.
    watching(view.namespaces, undefined, {
      when: (change) => change.type === 'updated' && isOnRecord(change.previous) && !isOnRecord(change.object),
    }),
    owned(view.clusterRoles, ownerOfClusterRight, (key, { metadata }) =>
      key === shared ? common.find((role) => role.metadata.name === metadata.name) : rbacOf(key).clusterRole,
    ),
    owned(view.clusterRoleBindings, ownerOfClusterRight, (key) => rbacOf(key).clusterRoleBinding),
    owned(view.roleBindings, ownerOfBinding, (key, { metadata }) => {
      const { registrationBinding, workBinding } = rbacOf(key)
      return metadata.name === rbacNames.workBinding(key) ? workBinding : registrationBinding
    }),
  ]
}
