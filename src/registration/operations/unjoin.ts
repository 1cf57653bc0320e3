import { ManagedClusterAddOn } from '../../apis/addon/managed-cluster-addon.ts'
import { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import { ManifestWork } from '../../apis/work/manifest-work.ts'
import { sleep } from '../../core/clock.ts'
import { findCondition } from '../../core/conditions.ts'
import type { Step } from '../../core/step.ts'
import { conditions } from '../../fleet/names.ts'
import { isNotFound } from '../../kube/failures.ts'
import type { KubeObject, Resource } from '../../kube/objects.ts'
import type { OperationDeps } from './accept.ts'
import { failures } from './failures.ts'

export interface UnjoinChoices {
  /** The cluster is dead: nobody will finish its add-ons and works, so their finalizers are taken off. */
  force: boolean
  timeoutMs: number
}

const beginsWithinMs = 2_000

/**
 * The hub's side of leaving: deletes the ManagedCluster and tells what the hub removes until it is gone. Its agent has to
 * run meanwhile, to clean up on its side; only then may it be removed.
 */
export async function* leaveHub(name: string, choices: UnjoinChoices, deps: OperationDeps): AsyncGenerator<Step> {
  const { kube, clock, signal } = deps
  const clusters = kube.of(ManagedCluster.resource)
  const cluster = await clusters.find(name, { signal })
  if (!cluster) return yield { did: `the hub knows no cluster ${name}` }
  await clusters.delete(name, { signal, preconditions: { uid: cluster.metadata.uid } })
  yield { doing: `the hub removes ${name}` }
  const startedAt = clock.now().getTime()
  const giveUpAt = startedAt + choices.timeoutMs
  let told = ''
  for (;;) {
    const left = await clusters.find(name, { signal })
    if (!left || left.metadata.uid !== cluster.metadata.uid) return yield { did: `${name} is gone from the hub` }
    const deleting = findCondition(left.status?.conditions, conditions.deleting)
    const missing = deleting?.message ?? 'the hub has not begun; is `lanyard hub` running?'
    // A hub that runs begins within moments: asking whether it does would only alarm.
    const isTelling =
      missing !== told && (deleting !== undefined || clock.now().getTime() - startedAt >= beginsWithinMs)
    if (isTelling) yield { doing: `the hub removes ${name}: ${missing}` }
    if (isTelling) told = missing
    if (choices.force) yield* takeFinalizersOff(name, deps)
    if (clock.now().getTime() > giveUpAt)
      throw failures.UNJOIN_STUCK({ cluster: name, missing, seconds: Math.round(choices.timeoutMs / 1_000) })
    await sleep(clock, 500, signal)
  }
}

/** Only of what is being deleted already: the hub asked for it, and nobody alive will answer. */
async function* takeFinalizersOff(name: string, { kube, signal }: OperationDeps): AsyncGenerator<Step> {
  const kinds: Resource<KubeObject>[] = [ManagedClusterAddOn.resource, ManifestWork.resource]
  for (const kind of kinds) {
    const collection = kube.of(kind, name)
    const { items } = await collection.metadata.list({ signal })
    for (const { metadata } of items) {
      if (!metadata.deletionTimestamp || (metadata.finalizers ?? []).length === 0) continue
      const body = { metadata: { uid: metadata.uid, finalizers: null } }
      await collection.patch(metadata.name, { type: 'merge', body }, { signal }).catch((error: unknown) => {
        if (!isNotFound(error)) throw error
      })
      yield { did: `${kind.kind} ${metadata.name} is let go`, detail: 'its finalizers were taken off' }
    }
  }
}
