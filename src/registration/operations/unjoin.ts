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
import { workToRevoke } from './aws-work.ts'
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
  const { kube, clock, signal, aws } = deps
  const clusters = kube.of(ManagedCluster.resource)
  const cluster = await clusters.find(name, { signal })
  if (!cluster) return yield { did: `the hub knows no cluster ${name}` }
  let awsWork = await workToRevoke(cluster, aws)
  // Else the cluster would be half out, with an agent that nobody goes on to remove.
  await awsWork?.check()
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
    // Its agent needs the role for as long as it has something to clean up.
    if (awsWork && (choices.force || (await isEmptied(name, deps)))) {
      yield* awsWork.revoke(name)
      awsWork = undefined
    }
    if (clock.now().getTime() > giveUpAt)
      throw failures.UNJOIN_STUCK({ cluster: name, missing, seconds: Math.round(choices.timeoutMs / 1_000) })
    await sleep(clock, 500, signal)
  }
}

const ofAgents: readonly Resource<KubeObject>[] = [ManagedClusterAddOn.resource, ManifestWork.resource]

async function isEmptied(name: string, { kube, signal }: OperationDeps): Promise<boolean> {
  const left = await Promise.all(ofAgents.map((kind) => kube.of(kind, name).metadata.list({ signal })))
  return left.every(({ items }) => items.length === 0)
}

/** Only of what is being deleted already: the hub asked for it, and nobody alive will answer. */
async function* takeFinalizersOff(name: string, { kube, signal }: OperationDeps): AsyncGenerator<Step> {
  for (const kind of ofAgents) {
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
