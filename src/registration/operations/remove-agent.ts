import { sleep } from '../../core/clock.ts'
import type { Step } from '../../core/step.ts'
import { agentSecrets, clusterNameConfigMap } from '../../fleet/names.ts'
import { isNotFound } from '../../kube/failures.ts'
import { configMaps, deployments, leases, namespaces, pods, secrets } from '../../kube/kinds.ts'
import type { KubeObject, Resource } from '../../kube/objects.ts'
import { agentDeployment, agentLease, agentRbacManifests } from '../manifests/agent.ts'
import { managedBy } from '../manifests/manifest.ts'
import type { OperationDeps } from './accept.ts'
import { failures } from './failures.ts'

/** What a cluster puts into every namespace by itself. */
const inEveryNamespace = ['ConfigMap kube-root-ca.crt', 'ConfigMap openshift-service-ca.crt']

/**
 * The cluster's side of leaving: the agent first, so that nothing comes back, then its keys, its rights, its namespace.
 * A namespace that we did not make, or that somebody else uses, stays; so do the kinds for claims. Repeats well.
 */
export async function* removeAgent(
  namespace: string,
  deps: OperationDeps,
  { timeoutMs = 120_000 }: { timeoutMs?: number } = {},
): AsyncGenerator<Step> {
  const { kube, clock, signal } = deps
  const giveUpAt = clock.now().getTime() + timeoutMs
  const remove = async (resource: Resource<KubeObject>, name: string, within?: string): Promise<boolean> => {
    const collection = kube.of(resource, within)
    const found = await collection.metadata.find(name, { signal })
    if (!found) return false
    const { uid } = found.metadata
    await collection.delete(name, { signal, propagationPolicy: 'Foreground', preconditions: { uid } })
    for (;;) {
      const left = await collection.metadata.find(name, { signal })
      if (left?.metadata.uid !== uid) return true
      if (clock.now().getTime() >= giveUpAt) {
        const holding = (left.metadata.finalizers ?? []).join(', ') || 'no finalizer'
        const stuck = `${resource.kind} ${within === undefined ? name : `${within}/${name}`} (${holding})`
        throw failures.AGENT_REMOVAL_STUCK({ stuck, seconds: Math.round(timeoutMs / 1_000) })
      }
      await sleep(clock, 200, signal)
    }
  }
  /** What is in the namespace and not ours to remove with it. */
  const others = async (): Promise<string[]> => {
    const kinds: Resource<KubeObject>[] = [deployments, pods, secrets, configMaps]
    const lists = kinds.map(async (kind) => {
      const { items } = await kube.of(kind, namespace).metadata.list({ signal }).catch(noneOfSuchKind)
      return items.map(({ metadata }) => `${kind.kind} ${metadata.name}`)
    })
    return (await Promise.all(lists)).flat().filter((what) => !inEveryNamespace.includes(what))
  }

  yield { doing: 'stopping the agent' }
  const wasThere = await remove(deployments, agentDeployment, namespace).catch(ifNoSuchKind)
  yield wasThere
    ? { did: 'the agent is stopped' }
    : { did: 'no agent is deployed', detail: 'if it runs as a process of its own, stop it' }
  yield { doing: 'removing its keys' }
  for (const name of [agentSecrets.hubKubeconfig, agentSecrets.bootstrap]) await remove(secrets, name, namespace)
  await remove(configMaps, clusterNameConfigMap, namespace)
  await remove(leases, agentLease, namespace)
  yield { did: 'its keys and its name are removed' }
  yield { doing: 'removing its rights and its namespace' }
  const rights = agentRbacManifests({ namespace, image: '' }).toReversed()
  for (const { resource, object } of rights) await remove(resource, object.metadata.name, object.metadata.namespace)
  yield { did: 'its rights are removed' }

  const found = await kube.of(namespaces).metadata.find(namespace, { signal })
  if (!found) return yield { did: 'its namespace is not there', detail: namespace }
  const isOurs = Object.entries(managedBy).every(([key, value]) => found.metadata.labels?.[key] === value)
  if (!isOurs) return yield { did: 'its namespace is left', detail: `${namespace} was not made by lanyard` }
  const left = await others()
  if (left.length > 0) {
    const more = left.length > 3 ? ` and ${left.length - 3} more` : ''
    return yield { did: 'its namespace is left', detail: `${namespace} holds ${left.slice(0, 3).join(', ')}${more}` }
  }
  await remove(namespaces, namespace)
  yield { did: 'its namespace is removed', detail: namespace }
}

function ifNoSuchKind(error: unknown): boolean {
  if (isNotFound(error)) return false
  throw error
}

function noneOfSuchKind(error: unknown): { items: [] } {
  if (isNotFound(error)) return { items: [] }
  throw error
}
