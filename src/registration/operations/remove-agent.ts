import { sleep } from '../../core/clock.ts'
import type { Step } from '../../core/step.ts'
import { managedBy } from '../../fleet/manifests/manifest.ts'
import { addonNamespace, agentSecrets, clusterNameConfigMap } from '../../fleet/names.ts'
import { isNotFound } from '../../kube/failures.ts'
import { configMaps, deployments, leases, namespaces, pods, roleBindings, roles, secrets } from '../../kube/kinds.ts'
import type { KubeObject, Resource } from '../../kube/objects.ts'
import { agentDeployment, agentLease, agentRbacManifests, agentRole } from '../manifests/agent.ts'
import type { OperationDeps } from './accept.ts'
import { failures } from './failures.ts'

/** What a cluster puts into every namespace by itself. */
const inEveryNamespace = ['ConfigMap kube-root-ca.crt', 'ConfigMap openshift-service-ca.crt']

export interface RemovalOptions {
  timeoutMs?: number
  leaveNamespace?: boolean
  /** What other jobs have to remove, when no agent can make it again. */
  onceStopped?: () => AsyncIterable<Step>
}

/**
 * The cluster's side of leaving: the agent first, so that nothing comes back, then its keys, its rights, its namespace.
 * A namespace that we did not make, or that somebody else uses, stays; so do the kinds for claims. Repeats well.
 */
export async function* removeAgent(
  namespace: string,
  deps: OperationDeps,
  { timeoutMs = 120_000, leaveNamespace = false, onceStopped }: RemovalOptions = {},
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
  const others = async (within: string): Promise<string[]> => {
    const kinds: Resource<KubeObject>[] = [deployments, pods, secrets, configMaps]
    const lists = kinds.map(async (kind) => {
      const { items } = await kube.of(kind, within).metadata.list({ signal }).catch(noneOfSuchKind)
      return items.map(({ metadata }) => `${kind.kind} ${metadata.name}`)
    })
    return (await Promise.all(lists)).flat().filter((what) => !inEveryNamespace.includes(what))
  }
  /** Namespaces that `join --addon-namespaces` gave the agent rights in. Nobody wrote them down but in those rights. */
  const otherPlaces = async (): Promise<string[]> => {
    const { items } = await kube.of(roleBindings).metadata.list({ signal, labelSelector: isManaged })
    return items.flatMap(({ metadata }) =>
      metadata.name === agentRole(namespace) && metadata.namespace !== undefined ? [metadata.namespace] : [],
    )
  }
  /** Of another agent on this cluster, which is on another hub. */
  const hasOtherAgent = async (within: string): Promise<boolean> => {
    const { items } = await kube.of(roleBindings, within).metadata.list({ signal, labelSelector: isManaged })
    return items.length > 0
  }

  yield { doing: 'stopping the agent' }
  const wasThere = await remove(deployments, agentDeployment, namespace).catch(ifNoSuchKind)
  yield wasThere
    ? { did: 'the agent is stopped' }
    : { did: 'no agent is deployed', detail: 'if it runs as a process of its own, stop it' }
  if (onceStopped) yield* onceStopped()
  yield { doing: 'removing its keys' }
  for (const name of [agentSecrets.hubKubeconfig, agentSecrets.bootstrap]) await remove(secrets, name, namespace)
  await remove(configMaps, clusterNameConfigMap, namespace)
  await remove(leases, agentLease, namespace)
  yield { did: 'its keys and its name are removed' }
  yield { doing: 'removing its rights and its namespace' }
  const rights = agentRbacManifests({ namespace, image: '' }).toReversed()
  for (const { resource, object } of rights) await remove(resource, object.metadata.name, object.metadata.namespace)
  for (const within of leaveNamespace ? [] : await otherPlaces()) {
    await remove(roleBindings, agentRole(namespace), within)
    await remove(roles, agentRole(namespace), within)
  }
  yield { did: 'its rights are removed' }
  if (leaveNamespace) return yield { did: 'its namespace is left', detail: namespace }

  const ofAddons = await kube.of(namespaces).metadata.find(addonNamespace, { signal })
  const isUnused = async () => !(await hasOtherAgent(addonNamespace)) && (await others(addonNamespace)).length === 0
  if (ofAddons && isOurs(ofAddons) && (await isUnused())) {
    await remove(namespaces, addonNamespace)
    yield { did: 'the namespace of add-ons is removed', detail: addonNamespace }
  }
  const found = await kube.of(namespaces).metadata.find(namespace, { signal })
  if (!found) return yield { did: 'its namespace is not there', detail: namespace }
  if (!isOurs(found)) return yield { did: 'its namespace is left', detail: `${namespace} was not made by lanyard` }
  const left = await others(namespace)
  if (left.length > 0) {
    const more = left.length > 3 ? ` and ${left.length - 3} more` : ''
    return yield { did: 'its namespace is left', detail: `${namespace} holds ${left.slice(0, 3).join(', ')}${more}` }
  }
  await remove(namespaces, namespace)
  yield { did: 'its namespace is removed', detail: namespace }
}

const isOurs = ({ metadata }: KubeObject): boolean =>
  Object.entries(managedBy).every(([key, value]) => metadata?.labels?.[key] === value)

const isManaged = Object.entries(managedBy)
  .map(([key, value]) => `${key}=${value}`)
  .join(',')

function ifNoSuchKind(error: unknown): boolean {
  if (isNotFound(error)) return false
  throw error
}

function noneOfSuchKind(error: unknown): { items: [] } {
  if (isNotFound(error)) return { items: [] }
  throw error
}
