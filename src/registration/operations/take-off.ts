import { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import type { Step } from '../../core/step.ts'
import { agentSecrets } from '../../fleet/names.ts'
import type { KubeClient } from '../../kube/client/index.ts'
import type { Connection } from '../../kube/connection.ts'
import { isForbidden, isNotFound } from '../../kube/failures.ts'
import { secrets } from '../../kube/kinds.ts'
import type { OperationDeps } from './accept.ts'
import { failures } from './failures.ts'
import { agentConnection, textIn } from './secret-connection.ts'

export interface TakeOffDeps extends OperationDeps {
  connect(connection: Connection): KubeClient
}

/**
 * A cluster takes itself off its hub, with its own identity and without anyone's on the hub: the acceptance is taken back,
 * and the hub, which sees who did it, removes the cluster after a while.
 */
export async function* takeOffHub(namespace: string, deps: TakeOffDeps): AsyncGenerator<Step> {
  const { kube, signal } = deps
  yield { doing: 'telling the hub' }
  const name = agentSecrets.hubKubeconfig
  const secret = await kube.of(secrets, namespace).find(name, { signal })
  const cluster = secret && textIn(secret, 'cluster-name')
  const connection = secret && agentConnection(secret)
  if (!cluster || !connection) throw failures.UNJOIN_NO_IDENTITY({ secret: name, namespace })
  await using hub = deps.connect(connection)
  try {
    const clusters = hub.of(ManagedCluster.resource)
    const known = await clusters.get(cluster, { signal })
    // An update, not a patch: it is what agents may do.
    await clusters.update({ ...known, spec: { ...known.spec, hubAcceptsClient: false } }, { signal })
  } catch (error) {
    if (isNotFound(error)) return yield { did: `the hub knows no cluster ${cluster} any more` }
    if (isForbidden(error)) return yield { did: `the hub has shut ${cluster} out already` }
    throw error
  }
  yield { did: `${cluster} has taken itself off the hub`, detail: connection.server }
}
