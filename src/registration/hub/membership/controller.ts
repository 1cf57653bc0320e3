import { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import type { Outcome } from '../../../core/outcome.ts'
import { done, requeueAfter } from '../../../core/outcome.ts'
import type { Controller } from '../../../kube/controller.ts'
import { controller } from '../../../kube/controller.ts'
import { accept, ensureFinalizers, refuse } from './acceptance.ts'
import type { Cluster, Membership } from './context.ts'
import { release, remove } from './deletion.ts'
import { deny } from './denial.ts'
import { phaseOf, wasAccepted } from './phase.ts'
import { whyReserved } from './reserved-names.ts'
import { sweepAt } from './unjoin.ts'
import { clearUp, clearUpBefore } from './vanished.ts'
import { shared, watchesOf } from './watches.ts'

/**
 * Clusters at a time. An acceptance mostly waits for the API server. All drivers share them: one that asks somebody slow
 * does so for far fewer clusters at a time, and sends the others to come back later.
 */
const workers = 32

/** A cluster's way in and out. One controller for all of it, so that no two steps of one cluster run at a time. */
export function membershipController(membership: Membership): Controller {
  const { view, clock } = membership
  /** Clusters that went without our doing, as last seen. */
  const vanished = new Map<string, Cluster>()
  view.clusters.on((change) => {
    const { name, uid } = change.object.metadata
    membership.aloneSince.delete(name)
    if (change.type !== 'deleted') vanished.delete(name)
    else if (!membership.removed.delete(uid) && wasAccepted(change.object)) vanished.set(name, change.object)
  })

  async function reconcile(name: string, signal: AbortSignal): Promise<Outcome> {
    if (name === shared) return await reconcileCommonRoles(membership, signal)
    const cluster = view.clusters.get(name)
    const reserved = whyReserved(name, membership.settings.namespace)
    if (!cluster) {
      if (reserved === undefined) {
        const outcome = await clearUp(membership, name, vanished.get(name), signal)
        if (outcome.outcome === 'done') vanished.delete(name)
        return outcome
      }
      return done
    }
    const phase = phaseOf(cluster)
    if (reserved !== undefined && phase === 'deleting') return await release(membership, cluster, signal)
    if (reserved !== undefined) return phase === 'accepted' ? await refuse(membership, cluster, reserved, signal) : done
    switch (phase) {
      case 'deleting':
        return await remove(membership, cluster, signal)
      case 'accepted':
        return await accept(membership, cluster, signal)
      case 'denied':
        return await sweeping(name, signal, () => deny(membership, cluster, signal))
      case 'new':
        await ensureFinalizers(membership, cluster, phase, signal)
        return await sweeping(name, signal, () => clearUpBefore(membership, cluster, signal))
    }
  }

  /** Also when the rest fails: whoever cannot be asked for hours does not keep a cluster on the hub. */
  async function sweeping(name: string, signal: AbortSignal, act: () => Promise<Outcome>): Promise<Outcome> {
    const [acted] = await Promise.allSettled([act()])
    const swept = await sweep(name, signal)
    if (acted.status === 'rejected') throw acted.reason
    return sooner(acted.value, swept)
  }

  /** The version guards it: a cluster that is accepted at this very moment stays. */
  async function sweep(name: string, signal: AbortSignal): Promise<Outcome> {
    const cluster = view.clusters.get(name)
    const at = cluster && sweepAt(cluster, membership.settings.unjoinGraceMs)
    if (!at) return done
    const leftMs = at.getTime() - clock.now().getTime()
    if (leftMs > 0) return requeueAfter(leftMs)
    const { uid, resourceVersion } = cluster.metadata
    await membership.kube.of(ManagedCluster.resource).delete(name, { signal, preconditions: { uid, resourceVersion } })
    return done
  }

  return controller('membership', (name, { signal }) => reconcile(name, signal), {
    ...membership,
    workers,
    watches: watchesOf(membership),
  })
}

/** Of two things that are due, the one that is due first. */
function sooner(one: Outcome, other: Outcome): Outcome {
  if (one.outcome !== 'requeueAfter') return other.outcome === 'done' ? one : other
  return other.outcome === 'requeueAfter' && other.ms < one.ms ? other : one
}

async function reconcileCommonRoles({ view, commonRoles }: Membership, signal: AbortSignal): Promise<Outcome> {
  if (view.clusters.size === 0) await commonRoles.remove(signal)
  else if (view.clusters.list().some((cluster) => phaseOf(cluster) === 'accepted')) await commonRoles.ensure(signal)
  return done
}
