import { sleep } from '../../core/clock.ts'
import type { Step } from '../../core/step.ts'
import { agentSecrets, clusterNameConfigMap } from '../../fleet/names.ts'
import { isNotFound } from '../../kube/failures.ts'
import { configMaps, deployments, namespaces, secrets } from '../../kube/kinds.ts'
import type { KubeObject, Resource } from '../../kube/objects.ts'
import { agentDeployment, agentRbacManifests } from '../manifests/agent.ts'
import type { OperationDeps } from './accept.ts'

/**
 * The cluster's side of leaving: the agent first, so that nothing comes back, then its keys, its rights, its namespace.
 * The kinds for claims stay, as others may use them. Repeats well.
 */
export async function* removeAgent(namespace: string, deps: OperationDeps): AsyncGenerator<Step> {
  const { kube, clock, signal } = deps
  const remove = async (resource: Resource<KubeObject>, name: string, within?: string): Promise<boolean> => {
    const collection = kube.of(resource, within)
    const found = await collection.metadata.find(name, { signal })
    if (!found) return false
    const { uid } = found.metadata
    await collection.delete(name, { signal, propagationPolicy: 'Foreground' })
    while ((await collection.metadata.find(name, { signal }))?.metadata.uid === uid) await sleep(clock, 200, signal)
    return true
  }
  const rights = agentRbacManifests({ namespace, image: '' }).toReversed()

  yield { doing: 'stopping the agent' }
  const wasThere = await remove(deployments, agentDeployment, namespace).catch(ifNoSuchKind)
  yield wasThere
    ? { did: 'the agent is stopped' }
    : { did: 'no agent is deployed', detail: 'if it runs as a process of its own, stop it' }
  yield { doing: 'removing its keys' }
  for (const name of [agentSecrets.hubKubeconfig, agentSecrets.bootstrap]) await remove(secrets, name, namespace)
  await remove(configMaps, clusterNameConfigMap, namespace)
  yield { did: 'its keys and its name are removed' }
  yield { doing: 'removing its rights and its namespace' }
  for (const { resource, object } of rights) await remove(resource, object.metadata.name, object.metadata.namespace)
  await remove(namespaces, namespace)
  yield { did: 'its rights and its namespace are removed', detail: namespace }
}

function ifNoSuchKind(error: unknown): boolean {
  if (isNotFound(error)) return false
  throw error
}
