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

/** Why a hub does not serve this cluster at present; undefined when it does. Throws when it cannot be asked. */
export async function whyNotThisHub(bootstrap: Kube, cluster: string): Promise<string | undefined> {
  for (const resourceAttributes of neededRights) {
    const { status } = await bootstrap
      .of(selfSubjectAccessReviews)
      .create({ metadata: {}, spec: { resourceAttributes } } as never)
    if (!status?.allowed)
      return `its bootstrap user may not ${resourceAttributes.verb} ${resourceAttributes.resource}; grant it that`
  }
  const found = await bootstrap.of(ManagedCluster.resource).find(cluster)
  if (found && !found.spec?.hubAcceptsClient) return `it does not accept the cluster ${cluster}`
  return undefined
}

export interface Candidate {
  readonly server: string
  readonly isValid: boolean
}

/** The hub the agent is on, while it is valid: a restart is no reason to move. Else the first that is. */
export const chooseHub = <C extends Candidate>(candidates: readonly C[], currentServer: string | undefined) =>
  candidates.find(({ server, isValid }) => isValid && server === currentServer) ??
  candidates.find(({ isValid }) => isValid)
