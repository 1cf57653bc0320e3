import { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import { hubNamespace, labels, leaseName } from '../../fleet/names.ts'
import { isForbidden } from '../../kube/failures.ts'
import {
  certificateSigningRequests,
  clusterRoleBindings,
  clusterRoles,
  leases,
  roleBindings,
} from '../../kube/kinds.ts'
import type { Kube } from '../../kube/kube.ts'
import { acceptedRbac } from '../hub/membership/rbac.ts'
import { hubService } from '../manifests/hub.ts'
import type { Finding } from './causes.ts'
import type { ClusterSideOptions } from './cluster-side.ts'
import { diagnoseClusterSide } from './cluster-side.ts'
import type { HubSide } from './hub-look.ts'
import { diagnoseHubSide } from './hub-side.ts'
import type { ProbeDeps } from './probe.ts'

export type { CauseId, Finding } from './causes.ts'
export { causes } from './causes.ts'

export interface Patient {
  /** The cluster, as the hub knows it. */
  name?: string
  hub?: Kube
  managed?: ClusterSideOptions
}

const lookAtAgent = 'look whether its agent runs, and whether it was given this name and this hub'

/** Looks at whatever sides are given and names what is wrong; nothing is changed. An empty list is good news. */
export async function diagnose({ name, hub, managed }: Patient, deps: ProbeDeps): Promise<Finding[]> {
  const [atCluster, seenByHub] = await Promise.all([
    managed ? diagnoseClusterSide(managed, deps) : [],
    hub && name !== undefined
      ? readHubSide(name, hub, deps.signal).then((side) => diagnoseHubSide(side, deps.clock.now()))
      : [],
  ])
  const atHub = seenByHub.map((finding) =>
    finding.id === 'cluster-unknown' && managed ? { ...finding, fix: lookAtAgent } : finding,
  )
  const isJoining = atHub.some(({ id }) => id === 'cluster-unknown') || hub === undefined
  // A cluster that has its certificate needs its bootstrap kubeconfig only to come back: tell what is wrong now first.
  return isJoining ? [...atCluster, ...atHub] : [...atHub, ...atCluster]
}

async function readHubSide(name: string, kube: Kube, signal: AbortSignal): Promise<HubSide> {
  const cluster = await kube.of(ManagedCluster.resource).find(name, { signal })
  const labelSelector = `${labels.clusterName}=${name},!${labels.addonName}`
  const [{ items: csrs }, lease, leader, missingRights] = await Promise.all([
    kube.of(certificateSigningRequests).list({ signal, labelSelector }),
    kube.of(leases, name).find(leaseName, { signal }),
    kube.of(leases, hubNamespace).find(hubService, { signal }).catch(ifForbidden),
    missingRightsOf(name, kube, signal),
  ])
  return { name, cluster, csrs, lease, leader, missingRights }
}

function ifForbidden(error: unknown): undefined {
  if (!isForbidden(error)) throw error
}

async function missingRightsOf(name: string, kube: Kube, signal: AbortSignal): Promise<string[]> {
  const wanted = acceptedRbac(name, {})
  const looks = [
    [clusterRoles, undefined, wanted.clusterRole],
    [clusterRoleBindings, undefined, wanted.clusterRoleBinding],
    [roleBindings, name, wanted.registrationBinding],
    [roleBindings, name, wanted.workBinding],
  ] as const
  const found = await Promise.all(
    looks.map(async ([resource, namespace, { metadata }]) => {
      const there = await kube.of(resource as typeof clusterRoles, namespace).metadata.find(metadata.name, { signal })
      return there ? [] : [`${resource.kind}/${metadata.name}`]
    }),
  )
  return found.flat()
}
