import { labels } from '../fleet/names.ts'
import { isForbidden, isNotFound } from '../kube/failures.ts'
import { configMaps, deployments, leases, pods, roleBindings, roles, secrets, serviceAccounts } from '../kube/kinds.ts'
import type { Kube } from '../kube/kube.ts'
import type { KubeObject, Resource } from '../kube/objects.ts'

/** A namespace of a cluster's name that was not made for the cluster, and what others have in it. */
export interface ForeignNamespace {
  /** By kind, and only of kinds that there is anything of. */
  readonly found: ReadonlyMap<string, readonly string[]>
  /** Kinds that could not be looked at. */
  readonly unseen: readonly string[]
}

const ofEverybody: readonly Resource<KubeObject>[] = [
  ...[pods, deployments, configMaps, secrets, serviceAccounts],
  ...[leases, roles, roleBindings],
]

/** The kinds of which the hub may see those of all namespaces. */
export const seenByHub: readonly Resource<KubeObject>[] = [serviceAccounts, leases, roles, roleBindings]

/** What a control plane puts into every namespace by itself. */
const inEveryNamespace: Readonly<Record<string, (name: string) => boolean>> = {
  ConfigMap: (name) => ['kube-root-ca.crt', 'openshift-service-ca.crt'].includes(name),
  ServiceAccount: (name) => ['default', 'builder', 'deployer'].includes(name),
  RoleBinding: (name) => name.startsWith('system:'),
}

/** Whether a namespace of the cluster's name is neither its own nor that of an earlier cluster. */
export const isForeign = ({ metadata }: KubeObject, cluster: string): boolean =>
  metadata?.labels?.[labels.clusterName] !== cluster

export async function lookInto(
  kube: Kube,
  namespace: string,
  signal: AbortSignal,
  kinds: readonly Resource<KubeObject>[] = ofEverybody,
): Promise<ForeignNamespace> {
  const lists = kinds.map(async (kind): Promise<[string, string[] | undefined]> => {
    try {
      const { items } = await kube.of(kind, namespace).metadata.list({ signal })
      const names = items.map(({ metadata }) => metadata.name)
      return [kind.kind, names.filter((name) => !inEveryNamespace[kind.kind]?.(name))]
    } catch (error) {
      // A small control plane may not have the kind at all.
      if (isNotFound(error)) return [kind.kind, []]
      if (isForbidden(error)) return [kind.kind, undefined]
      throw error
    }
  })
  const looked = await Promise.all(lists)
  return {
    found: new Map(looked.flatMap(([kind, names]) => (names && names.length > 0 ? [[kind, names] as const] : []))),
    unseen: [
      ...looked.flatMap(([kind, names]) => (names ? [] : [kind])),
      ...ofEverybody.filter((kind) => !kinds.includes(kind)).map(({ kind }) => kind),
    ],
  }
}

/** Of each kind, before the rest is counted. */
const namedOfEach = 3

/** `3 Pods (a, b, c), 1 Lease (d); Secrets were not looked at`, for a sentence that says what the namespace holds. */
export function contentOf({ found, unseen }: ForeignNamespace): string {
  const seen = [...found].map(([kind, names]) => {
    const more = names.length > namedOfEach ? `, and ${names.length - namedOfEach} more` : ''
    return `${names.length} ${kind}${names.length === 1 ? '' : 's'} (${names.slice(0, namedOfEach).join(', ')}${more})`
  })
  const notSeen = unseen.length > 0 ? `; not looked at: ${unseen.join(', ')}` : ''
  return `${seen.join(', ') || 'nothing that was seen'}${notSeen}`
}
