import { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import { findCondition } from '../../core/conditions.ts'
import type { Step } from '../../core/step.ts'
import { decisionOn } from '../../fleet/csr/approval.ts'
import { annotations, conditions, labels } from '../../fleet/names.ts'
import { certificateSigningRequests } from '../../kube/kinds.ts'
import { reasons } from '../reasons.ts'
import type { OperationDeps } from './accept.ts'
import { addonsLeft } from './addons-left.ts'
import { workToRevoke } from './aws-work.ts'
import { decideOn } from './decide-on-request.ts'
import { failures } from './failures.ts'

/**
 * Shuts a cluster out: takes its acceptance back, so that the hub takes its rights, and denies what its agents ask for.
 * The ManagedCluster and its namespace stay; `accept` lets it in again.
 */
export async function* denyCluster(name: string, { kube, clock, signal, aws }: OperationDeps): AsyncGenerator<Step> {
  yield { doing: `looking at ${name}` }
  const clusters = kube.of(ManagedCluster.resource)
  const cluster = await clusters.find(name, { signal })
  if (!cluster) throw failures.CLUSTER_UNKNOWN({ cluster: name })
  const work = await workToRevoke(cluster, aws)
  const wasAccepted = cluster.spec?.hubAcceptsClient === true
  const body = {
    metadata: { annotations: { [annotations.replaceAgent]: null } },
    spec: { hubAcceptsClient: false },
  }
  await clusters.patch(name, { type: 'merge', body }, { signal })
  if (wasAccepted) yield { did: `${name} is denied`, detail: 'the hub takes its rights now' }
  else if (findCondition(cluster.status?.conditions, conditions.accepted)) yield { did: `${name} is denied already` }
  else yield { did: `${name} was never accepted` }
  const labelSelector = `${labels.clusterName}=${name},!${labels.addonName}`
  const { items } = await kube.of(certificateSigningRequests).list({ signal, labelSelector })
  for (const { metadata } of items.filter((csr) => decisionOn(csr) === 'none')) {
    await decideOn(metadata.name, { type: 'Denied', reason: reasons.DeniedByLanyardDeny }, { kube, clock, signal })
    yield { did: `${metadata.name} is denied` }
  }
  yield* addonsLeft(name, { kube, clock, signal })
  // Last: whoever has no AWS credentials at hand has shut the cluster out all the same.
  if (work) yield* work.revoke(name)
}
