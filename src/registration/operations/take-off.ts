import { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import { isFailure } from '../../core/failure.ts'
import type { Step } from '../../core/step.ts'
import { agentSecrets } from '../../fleet/names.ts'
import type { KubeClient } from '../../kube/client/index.ts'
import type { Connection } from '../../kube/connection.ts'
import { isConflict, isForbidden, isNotFound } from '../../kube/failures.ts'
import { secrets } from '../../kube/kinds.ts'
import type { Collection } from '../../kube/kube.ts'
import type { Env } from '../../kube/kubeconfig/index.ts'
import type { OperationDeps } from './accept.ts'
import { agentIdentity } from './agent-identity.ts'
import { failures } from './failures.ts'
import { textIn } from './secret-connection.ts'

export interface TakeOffDeps extends OperationDeps {
  connect(connection: Connection): KubeClient
  /** Of this process: the way to AWS, for a cluster that joined by AWS IAM. Default: none of it is set. */
  env?: Env
}

/**
 * A cluster takes itself off its hub, with its own identity and without anyone's on the hub: the acceptance is taken back,
 * and the hub, which sees who did it, removes the cluster after a while.
 */
export async function* takeOffHub(namespace: string, deps: TakeOffDeps): AsyncGenerator<Step> {
  const { kube, clock, env = {}, signal } = deps
  yield { doing: 'telling the hub' }
  const name = agentSecrets.hubKubeconfig
  const secret = await kube.of(secrets, namespace).find(name, { signal })
  const cluster = secret && textIn(secret, 'cluster-name')
  const connection =
    cluster && (await orExplained(cluster, agentIdentity(secret, namespace, { kube, clock, env }, signal)))
  if (!connection) throw failures.UNJOIN_NO_IDENTITY({ secret: name, namespace })
  await using hub = deps.connect(connection)
  try {
    await orExplained(cluster, withdraw(hub.of(ManagedCluster.resource), cluster, signal))
  } catch (error) {
    if (isNotFound(error)) return yield { did: `the hub knows no cluster ${cluster} any more` }
    if (isForbidden(error)) return yield { did: `the hub has shut ${cluster} out already` }
    throw error
  }
  yield { did: `${cluster} has taken itself off the hub`, detail: connection.server }
}

/** AWS does not say whether the hub took the role away or never gave it, so people have to. */
async function orExplained<T>(cluster: string, done: Promise<T>): Promise<T> {
  try {
    return await done
  } catch (error) {
    if (!isFailure(error) || !error.code.startsWith('AWS_')) throw error
    throw failures.UNJOIN_BY_AWS_FAILED({ cluster, why: error.message }, error)
  }
}

const tries = 5

/** An update, not a patch: it is what agents may do. Their own reports meanwhile make it a conflict now and then. */
async function withdraw(clusters: Collection<ManagedCluster>, name: string, signal: AbortSignal): Promise<void> {
  for (let left = tries; ; left -= 1) {
    const known = await clusters.get(name, { signal })
    try {
      await clusters.update({ ...known, spec: { ...known.spec, hubAcceptsClient: false } }, { signal })
      return
    } catch (error) {
      if (!isConflict(error) || left <= 1) throw error
    }
  }
}
