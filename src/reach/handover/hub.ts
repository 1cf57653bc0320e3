import type { ClusterConfig as Config } from '../../apis/breakglass/cluster-config.ts'
import { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import { isTrue } from '../../core/conditions.ts'
import { isFailure } from '../../core/failure.ts'
import type { Run } from '../../core/lifecycle.ts'
import { runTogether } from '../../core/lifecycle.ts'
import type { Outcome } from '../../core/outcome.ts'
import { done } from '../../core/outcome.ts'
import { conditions } from '../../fleet/names.ts'
import { handoverSecret, spokeAnnotations } from '../../fleet/spoke/names.ts'
import { reasons } from '../../fleet/spoke/reasons.ts'
import { isDrift } from '../../fleet/wanted/drift.ts'
import { ensure } from '../../fleet/wanted/ensure.ts'
import type { Named } from '../../fleet/wanted/named.ts'
import { controller } from '../../kube/controller.ts'
import type { Happening } from '../../kube/events.ts'
import type { Informer } from '../../kube/informer.ts'
import { roleBindings, roles, secrets } from '../../kube/kinds.ts'
import type { Key, KubeObject, Resource, Stored } from '../../kube/objects.ts'
import type { Watching } from '../../kube/watching.ts'
import { changesOf, watching } from '../../kube/watching.ts'
import type { ReachHubDeps } from '../hub/deps.ts'
import { ensureConfig } from './config.ts'
import { failures } from './failures.ts'
import type { HandoverObjects } from './hub-objects.ts'
import { handoverObjects, holdsKubeconfig, isOurs } from './hub-objects.ts'
import type { HandoverPlan } from './hub-plan.ts'
import { handoverPlan } from './hub-plan.ts'
import { handoverView } from './hub-view.ts'

export interface HandoverHubDeps extends ReachHubDeps {
  /** Run by whoever made it. */
  clusters: Informer<ManagedCluster>
  /** Put on everything that is made for a cluster. */
  labels: Readonly<Record<string, string>>
}

const made = {
  Secret: 'handover.secret-made',
  Role: 'handover.role-made',
  RoleBinding: 'handover.binding-made',
} as const

/** Makes a ClusterConfig for every accepted cluster whose people let its agent hand over a way in. */
export function handoverHub(deps: HandoverHubDeps): { readonly run: Run } {
  const { kube, clusters, events, checkpoint } = deps
  const { configs } = deps.view
  const view = handoverView(kube, deps)
  /** By cluster: what this process put in place, so that it is known again should an agent take its label off. */
  const placed = new Map<string, readonly string[]>()
  /** By cluster: what people were told last. */
  const told = new Map<string, string>()

  const planFor = (cluster: string): HandoverPlan =>
    handoverPlan(clusters.get(cluster), configs.byIndex('name', cluster), view.secrets.get(secretKey(cluster)))

  async function reconcile(cluster: Key, signal: AbortSignal): Promise<Outcome> {
    const plan = planFor(cluster)
    if (plan.is !== 'wanted') {
      const hadAny = await removeAll(cluster, signal)
      placed.delete(cluster)
      if (plan.is === 'taken') tell(cluster, taken('ClusterConfig', plan.by))
      else if (hadAny) tell(cluster, takenBack)
      else told.delete(cluster)
      return done
    }
    const wanted = handoverObjects(cluster, deps.labels)
    try {
      placed.set(cluster, await place(cluster, wanted, signal))
    } catch (error) {
      if (isFailure(error, 'HANDOVER_TAKEN')) {
        await removeConfig(cluster, signal)
        await removeRights(cluster, signal)
        tell(cluster, { type: 'Warning', reason: reasons.HandoverRefused, message: error.message })
      }
      throw error
    }
    if (!plan.withConfig) {
      if (await removeConfig(cluster, signal)) tell(cluster, takenBack)
      return done
    }
    const existing = configs.get(`${cluster}/${cluster}`)
    const { isNew } = await ensureConfig(kube.of(ClusterConfig.resource, cluster), wanted.config, existing, signal)
    if (isNew) checkpoint('handover.config-made')
    tell(cluster, handedOver(cluster), isNew)
    return done
  }

  /** One after the other: the right to a Secret that turns out to be somebody else's would give that one away. */
  async function place(cluster: string, wanted: HandoverObjects, signal: AbortSignal): Promise<string[]> {
    const secret = await own(secrets, view.secrets, cluster, wanted.secret, signal)
    const role = await own(roles, view.roles, cluster, wanted.role, signal)
    const binding = await own(roleBindings, view.roleBindings, cluster, wanted.roleBinding, signal)
    return [secret, role, binding].map(({ metadata }) => metadata.uid)
  }

  async function own<T extends KubeObject>(
    resource: Resource<T>,
    informer: Informer<T>,
    cluster: string,
    wanted: Named<T>,
    signal: AbortSignal,
  ): Promise<Stored<T>> {
    const { name } = wanted.metadata
    const mayTake = (found: Stored<T>) => {
      if (isOurs(found) || placed.get(cluster)?.includes(found.metadata.uid)) return
      throw failures.HANDOVER_TAKEN({ kind: resource.kind, name: `${cluster}/${name}` })
    }
    const seen = informer.get(`${cluster}/${name}`)
    const stored = await ensure(kube.of(resource, cluster), wanted, seen, signal, mayTake)
    if (!seen) checkpoint(made[resource.kind as keyof typeof made])
    return stored
  }

  /** First what the hub gets in by, then what the agent may write, then what it wrote. Whether there was anything. */
  async function removeAll(cluster: string, signal: AbortSignal): Promise<boolean> {
    const had = [
      await removeConfig(cluster, signal),
      await removeRights(cluster, signal),
      await drop(secrets, view.secrets, cluster, handoverSecret, signal),
    ]
    return had.includes(true)
  }

  const removeConfig = (cluster: string, signal: AbortSignal) =>
    drop(ClusterConfig.resource, configs, cluster, cluster, signal)

  async function removeRights(cluster: string, signal: AbortSignal): Promise<boolean> {
    const had = [
      await drop(roleBindings, view.roleBindings, cluster, handoverSecret, signal),
      await drop(roles, view.roles, cluster, handoverSecret, signal),
    ]
    return had.includes(true)
  }

  async function drop<T extends KubeObject>(
    resource: Resource<T>,
    informer: Pick<Informer<T>, 'get'>,
    cluster: string,
    name: string,
    signal: AbortSignal,
  ): Promise<boolean> {
    const found = informer.get(`${cluster}/${name}`)
    if (!found || found.metadata.deletionTimestamp || !isOurs(found)) return false
    const isGone = await kube.of(resource, cluster).delete(name, { signal, preconditions: { uid: found.metadata.uid } })
    checkpoint('handover.part-removed')
    return isGone
  }

  /** Once, until there is something else to tell. @param isNews whether it is an event, or only how things stand */
  function tell(cluster: string, happening: Happening, isNews = true): void {
    const object = clusters.get(cluster)
    if (told.get(cluster) === happening.message) return
    told.set(cluster, happening.message)
    if (object && isNews) events.record(ManagedCluster.resource, object, happening)
  }

  const handover = controller('reach-handover', (key, { signal }) => reconcile(key, signal), {
    ...deps,
    watches: watchesOf(),
  })

  function watchesOf(): Watching[] {
    const inNamespace = ({ metadata }: Stored<KubeObject>) => metadata.namespace ?? ''
    const wantedFor = (cluster: string) =>
      planFor(cluster).is === 'wanted' ? handoverObjects(cluster, deps.labels) : undefined
    const right = <T extends KubeObject>(informer: Informer<T>, pick: (objects: HandoverObjects) => Named<T>) =>
      watching(informer, inNamespace, {
        when: (change) => {
          const wanted = wantedFor(inNamespace(change.object))
          return isDrift(change, wanted && pick(wanted))
        },
      })
    return [
      watching(clusters, ({ metadata }) => metadata.name, {
        when: changesOf(({ metadata, spec, status }) => [
          metadata.deletionTimestamp,
          metadata.annotations?.[spokeAnnotations.reach],
          spec?.hubAcceptsClient,
          isTrue(status?.conditions, conditions.accepted),
        ]),
      }),
      watching(configs, ({ metadata }) => metadata.name, {
        when: changesOf(({ metadata, spec }: Stored<Config>) => [metadata.deletionTimestamp, metadata.labels, spec]),
      }),
      watching(view.secrets, inNamespace, {
        when: changesOf((secret) => [
          secret.metadata.deletionTimestamp,
          secret.metadata.labels,
          holdsKubeconfig(secret),
        ]),
      }),
      right(view.roles, ({ role }) => role),
      right(view.roleBindings, ({ roleBinding }) => roleBinding),
    ]
  }

  return { run: (signal) => runTogether(signal, [view.run, handover.run]) }
}

const secretKey = (cluster: string): Key => `${cluster}/${handoverSecret}`

const taken = (kind: string, name: string): Happening => ({
  type: 'Warning',
  reason: reasons.HandoverRefused,
  message: failures.HANDOVER_TAKEN({ kind, name }).message,
})

const takenBack: Happening = {
  reason: reasons.HandoverTakenBack,
  message: 'the way in that the agent handed over is removed',
}

const handedOver = (cluster: string): Happening => ({
  reason: reasons.HandedOver,
  message: `the agent handed over a way in; ClusterConfig ${cluster}/${cluster} is made for it`,
})
