import { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import { selfSubjectAccessReviews } from '../../kube/kinds.ts'
import type { Kube } from '../../kube/kube.ts'

const managedClusters = { group: 'cluster.open-cluster-management.io', resource: 'managedclusters' }
const csrs = { group: 'certificates.k8s.io', resource: 'certificatesigningrequests' }

/** What a bootstrap user needs. */
const neededRights = [
  ...['create', 'get'].map((verb) => ({ ...managedClusters, verb })),
  ...['create', 'get', 'list', 'watch'].map((verb) => ({ ...csrs, verb })),
]

/** Why a hub does not serve this cluster at present. */
export interface Obstacle {
  readonly why: string
  /** A word of its administrator is all it takes. */
  readonly isAwaited: boolean
}

/** Undefined when nothing is in the way. Throws when the hub cannot be asked. */
export async function whyNotThisHub(bootstrap: Kube, cluster: string): Promise<Obstacle | undefined> {
  for (const resourceAttributes of neededRights) {
    const { status } = await bootstrap
      .of(selfSubjectAccessReviews)
      .create({ metadata: {}, spec: { resourceAttributes } } as never)
    if (!status?.allowed)
      return {
        why: `its bootstrap user may not ${resourceAttributes.verb} ${resourceAttributes.resource}; grant it that`,
        isAwaited: false,
      }
  }
  const found = await bootstrap.of(ManagedCluster.resource).find(cluster)
  if (found && !found.spec?.hubAcceptsClient)
    return {
      why: `it does not accept the cluster ${cluster}; its administrator does so with: lanyard accept ${cluster}`,
      isAwaited: true,
    }
  return undefined
}

export interface Candidate {
  readonly server: string
  readonly isValid: boolean
  /** It knows the cluster and has not accepted it (any more). */
  readonly isAwaited: boolean
}

/**
 * The hub the agent is on, while it is valid: a restart is no reason to move. Else the first that is. Where none is, one
 * that was asked already, because it may accept the cluster later: nobody would hear of that on no hub at all.
 */
export const chooseHub = <C extends Candidate>(candidates: readonly C[], currentServer: string | undefined) =>
  candidates.find(({ server, isValid }) => isValid && server === currentServer) ??
  candidates.find(({ isValid }) => isValid) ??
  candidates.find(({ server, isAwaited }) => isAwaited && server === currentServer) ??
  candidates.find(({ isAwaited }) => isAwaited)
