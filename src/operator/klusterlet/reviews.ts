import type { ResourceAttributes } from 'kubernetes-types/authorization/v1.d.ts'
import { isFailure } from '../../core/failure.ts'
import { leaseName, registerGroup } from '../../fleet/names.ts'
import { isForbidden, isUnauthorized } from '../../kube/failures.ts'
import { selfSubjectAccessReviews } from '../../kube/kinds.ts'
import type { Kube } from '../../kube/kube.ts'

export type Verdict =
  | { readonly verdict: 'allowed' }
  | { readonly verdict: 'refused'; readonly what: string }
  | { readonly verdict: 'unknown'; readonly why: string }

const clusterGroup = 'cluster.open-cluster-management.io'
const csrs = { group: 'certificates.k8s.io', resource: 'certificatesigningrequests' }

export type ServedDriver = 'csr' | 'awsirsa'

/** What whoever wants to join has to be allowed. */
export const joinerNeeds = (driver: ServedDriver): readonly ResourceAttributes[] => [
  ...(driver === 'csr' ? [{ ...csrs, verb: 'create' }] : []),
  { group: clusterGroup, resource: 'managedclusters', verb: 'create' },
  { group: clusterGroup, resource: 'managedclusters', verb: 'get' },
]

/** What the agent of a cluster has to be allowed; one question for each thing it does all its life. */
export const memberNeeds = (cluster: string, driver: ServedDriver): readonly ResourceAttributes[] => [
  { group: clusterGroup, resource: 'managedclusters', name: cluster, verb: 'get' },
  { group: clusterGroup, resource: 'managedclusters', subresource: 'status', name: cluster, verb: 'patch' },
  ...(driver === 'csr' ? renewal(cluster) : []),
  { group: 'coordination.k8s.io', resource: 'leases', namespace: cluster, name: leaseName, verb: 'update' },
  { group: 'addon.open-cluster-management.io', resource: 'managedclusteraddons', namespace: cluster, verb: 'list' },
]

const renewal = (cluster: string): readonly ResourceAttributes[] => [
  {
    group: registerGroup,
    resource: 'managedclusters',
    subresource: 'clientcertificates',
    name: cluster,
    verb: 'renew',
  },
  { ...csrs, verb: 'create' },
]

/** AWS does not let the agent be what it is on the hub: the hub has not made its role, or has removed it. */
const refusedByAws = ['AWS_ROLE_REFUSED', 'AWS_WEB_ROLE_REFUSED', 'AWS_WEB_IDENTITY_REJECTED']

/** Asks one after the other and stops at the first no: a hub is asked so by its whole fleet. */
export async function review(hub: Kube, needs: readonly ResourceAttributes[], signal: AbortSignal): Promise<Verdict> {
  try {
    for (const resourceAttributes of needs) {
      const { status } = await hub.of(selfSubjectAccessReviews).create({ spec: { resourceAttributes } }, { signal })
      if (!status?.allowed) return { verdict: 'refused', what: sentence(resourceAttributes) }
    }
    return { verdict: 'allowed' }
  } catch (error) {
    signal.throwIfAborted()
    if (isUnauthorized(error)) return { verdict: 'refused', what: 'anything: it does not know this credential (401)' }
    if (isForbidden(error)) return { verdict: 'refused', what: 'asking what it may do' }
    if (isFailure(error) && refusedByAws.includes(error.code)) return { verdict: 'refused', what: error.message }
    return { verdict: 'unknown', why: error instanceof Error ? error.message : String(error) }
  }
}

const sentence = ({ verb, group, resource, subresource, namespace, name }: ResourceAttributes): string =>
  [
    `${verb} ${[resource, subresource].filter(Boolean).join('/')}.${group}`,
    ...(name ? [name] : []),
    ...(namespace ? [`in ${namespace}`] : []),
  ].join(' ')
