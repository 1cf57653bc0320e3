import type { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import type { Outcome } from '../../../core/outcome.ts'
import { done, requeueAfter } from '../../../core/outcome.ts'
import { decisionOn } from '../../../fleet/csr/approval.ts'
import { isRenewal } from '../../../fleet/csr/requester.ts'
import { supersededRequests } from '../../../fleet/csr/superseded.ts'
import { annotations, labels } from '../../../fleet/names.ts'
import type { Controller, ReconcileContext } from '../../../kube/controller.ts'
import { controller } from '../../../kube/controller.ts'
import type { Key, Stored } from '../../../kube/objects.ts'
import { watching } from '../../../kube/watching.ts'
import type { HubDeps } from '../../hub/deps.ts'
import { isDenied } from '../../hub/membership/phase.ts'
import { wayOf } from '../marks.ts'
import { csrEffects } from './hub-effects.ts'
import type { Judged } from './hub-judge.ts'
import { judge, judgeRenewal } from './hub-judge.ts'
import type { Removals } from './hub-removals.ts'
import { removals, retryRemovalMs } from './hub-removals.ts'
import type { ClusterRequests, SeenRequest } from './hub-requests.ts'

/** How soon an accepted cluster that lacks the right to renew is asked about again: no watch tells when it has it. */
const recheckRightsMs = 5_000

/** Clusters at a time: a turn mostly waits for the API server. */
const workers = 16

/**
 * Decides on the CSRs of one cluster, all in one turn: two requests that are looked at side by side would both find
 * the place of the cluster's agent empty.
 */
export function csrController(deps: HubDeps, requests: ClusterRequests): Controller {
  const { view } = deps
  const memory: Memory = { requests, removed: removals(deps.clock), doubtful: new Map() }
  const isAnyOpen = (cluster: string) => requests.of(cluster).some(({ csr }) => decisionOn(csr) === 'none')
  return controller('csr', (key, context) => reconcile(key, deps, memory, context), {
    ...deps,
    workers,
    watches: [
      watching(view.csrs, ({ metadata }) => metadata.labels?.[labels.clusterName] || []),
      watching(view.clusters),
      watching(view.leases, ({ metadata: { namespace } }) => (namespace && isAnyOpen(namespace) ? namespace : [])),
    ],
  })
}

interface Memory {
  requests: ClusterRequests
  removed: Removals
  /** By name, what was approved for a cluster without hearing what came of it. */
  doubtful: Map<Key, { request: SeenRequest; cluster: Stored<ManagedCluster> }>
}

async function reconcile(
  key: Key,
  deps: HubDeps,
  { requests, removed, doubtful }: Memory,
  context: ReconcileContext,
): Promise<Outcome> {
  const { clusters } = deps.view
  const effects = csrEffects(deps, context.signal)
  const doubt = doubtful.get(key)
  if (doubt && (await effects.isApproved(doubt.request))) requests.noteApproval(doubt.request, doubt.cluster)
  doubtful.delete(key)
  const cluster = clusters.get(key)
  // Without its cluster a request waits: agents create both, in any order.
  if (!cluster || cluster.metadata.deletionTimestamp !== undefined) return done
  // It may be denied while the server is asked; its change has queued it again.
  const isChanged = () => clusters.get(key) !== cluster
  const all = requests.of(key)
  const superseded = supersededRequests(all)
  const outdated = new Set(superseded.map(({ request }) => request))
  const isOpen = (request: SeenRequest) => decisionOn(request.csr) === 'none' && !outdated.has(request)
  // A cluster that comes by another way has no use for a certificate, which would outlive what that way takes back.
  const open = wayOf(cluster) === 'csr' ? all.filter(isOpen) : []
  const wakes: number[] = []
  const approve = async (request: SeenRequest, why: 'renewal' | 'bootstrap') => {
    doubtful.set(key, { request, cluster })
    if (await effects.approve(cluster, request, why)) requests.noteApproval(request, cluster)
    doubtful.delete(key)
  }
  /** False: it failed, and the rest of the turn goes on: by a back-off of the whole turn all of the cluster would be late. */
  const remove = async (request: SeenRequest): Promise<boolean> => {
    removed.note(request, 'tried')
    try {
      await effects.removeSuperseded(cluster, request)
    } catch (err) {
      if (context.signal.aborted) throw err
      const { name } = request.csr.metadata
      context.log.warn({ err, name, nextTryMs: retryRemovalMs }, 'superseded request not removed')
      return false
    }
    removed.note(request, 'gone')
    return true
  }

  const replaced: Judged[] = []
  for (const request of open.filter(isRenewal)) {
    if (cluster.spec?.hubAcceptsClient !== true) break
    const second = judgeRenewal(cluster, requests.of(key), request)
    if (second) replaced.push(second)
    else if (!(await effects.mayRenew(request))) wakes.push(recheckRightsMs)
    else if (isChanged()) return done
    else await approve(request, 'renewal')
  }

  const bootstraps = open.filter((request) => !isRenewal(request))
  const judgeAll = () => judge(cluster, requests.of(key), bootstraps, deps, removed.openUntil)
  const nextOf = (judged: readonly Judged[]) => judged.find((one) => mayApprove(one, cluster, deps))
  let judged = judgeAll()
  if (nextOf(judged)?.incumbent) {
    await effects.hearLease(cluster)
    judged = judgeAll()
  }
  // One a turn: the next one is judged with this one in its way.
  const approvable = nextOf(judged)
  if (approvable && isChanged()) return done
  if (approvable) await approve(approvable.request, 'bootstrap')

  await effects.record(cluster, all)
  await effects.reportSecondAgents(cluster, [...replaced, ...judged])

  const now = deps.clock.now().getTime()
  for (const one of superseded) {
    const waitMs = (removed.dueAt(one)?.getTime() ?? Number.POSITIVE_INFINITY) - now
    if (waitMs > 0) wakes.push(waitMs)
    else if (!(await remove(one.request))) wakes.push(retryRemovalMs)
  }
  for (const { until } of judged) if (until) wakes.push(Math.max(0, until.getTime() - now))
  const wakeMs = Math.min(...wakes)
  return Number.isFinite(wakeMs) ? requeueAfter(wakeMs) : done
}

/**
 * What is denied stays out, its certificate included, until a person lets it in again. A listed user speaks for the
 * clusters of listed users, not for those that anybody else made.
 */
function mayApprove({ standing, request }: Judged, cluster: Stored<ManagedCluster>, { settings }: HubDeps): boolean {
  const users = settings.autoApprovedUsers ?? []
  const creator = cluster.metadata.annotations?.[annotations.createdBy]
  return (
    standing === 'free' &&
    users.includes(request.requester) &&
    (creator === undefined || users.includes(creator)) &&
    !isDenied(cluster)
  )
}
