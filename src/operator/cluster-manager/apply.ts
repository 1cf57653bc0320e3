import { ClusterManager } from '../../apis/operator/cluster-manager.ts'
import type { Outcome } from '../../core/outcome.ts'
import { requeueAfter } from '../../core/outcome.ts'
import type { Reason } from '../../core/reason.ts'
import { isConflict } from '../../kube/failures.ts'
import type { Stored } from '../../kube/objects.ts'
import { bootstrapAccount } from '../../registration/manifests/bootstrap.ts'
import { applyAll, ensureNamespace } from '../apply.ts'
import type { OperatorDeps } from '../deps.ts'
import { finalizers } from '../names.ts'
import { reasons } from '../reasons.ts'
import { leftOver, relatedOf, removeRelated, union } from '../related.ts'
import { gatesReport, specHonored } from '../spec-reports.ts'
import type { StatusWriter } from '../status.ts'
import { statusWriter } from '../status.ts'
import { ensureAuthority } from './authority.ts'
import { applied, notApplied } from './conditions.ts'
import type { InstalledHub } from './manifests.ts'
import { hubParts } from './manifests.ts'
import { planClusterManager } from './plan.ts'
import type { ClusterManagerView } from './view.ts'

interface Job {
  manager: Stored<ClusterManager>
  deps: OperatorDeps
  view: ClusterManagerView
  signal: AbortSignal
}

/** Makes the cluster the hub that a ClusterManager wants. */
export async function applyClusterManager({ manager, deps, view, signal }: Job): Promise<Outcome> {
  const { kube, settings } = deps
  const collection = kube.of(ClusterManager.resource)
  const { name, resourceVersion, finalizers: held = [] } = manager.metadata
  const body = { metadata: { resourceVersion, finalizers: [...held, finalizers.clusterManager] } }
  const owned = held.includes(finalizers.clusterManager)
    ? manager
    : await collection.patch(name, { type: 'merge', body }, { signal })
  const status = statusWriter(collection, owned, { ...deps, signal })
  const { generation } = owned.metadata
  const fields = generation === undefined ? {} : { observedGeneration: generation }
  const refuse = async (why: string, gateMistakes: readonly string[] = []) => {
    const report = notApplied(reasons.ClusterManagerApplyFailed, `Nothing was changed: ${why}.`)
    await status.write({ conditions: [report, gatesReport(gateMistakes)], fields })
    return requeueAfter(settings.resyncMs)
  }
  const first = view.first()
  if (first !== name) return await refuse(`the ClusterManager ${first} is there already, and a cluster is one hub`)
  const plan = planClusterManager(owned, settings)
  if (plan.step === 'refuse') return await refuse(plan.why, plan.gateMistakes)
  await install({ installation: plan.installation, uid: owned.metadata.uid, status, deps, signal })
  await status.write({
    conditions: [applied(settings.hubNamespace), gatesReport([]), specHonored(plan.ignored)],
    fields,
  })
  return requeueAfter(settings.resyncMs)
}

interface Installing {
  installation: InstalledHub
  uid: string
  status: StatusWriter
  deps: OperatorDeps
  signal: AbortSignal
}

async function install({ installation, uid, status, deps, signal }: Installing): Promise<void> {
  const { kube, clock } = deps
  const { namespace } = installation
  const during = (reason: Reason, act: () => Promise<unknown>) => told(reason, status, act)
  const names = hubParts(installation, '')
  const wanted = [...names.rights, ...names.kinds, ...names.workloads, ...names.webhooks].map(relatedOf)
  const listed = status.status.relatedResources ?? []
  await status.write({ fields: { relatedResources: union(listed, wanted) } })
  let caPem = ''
  await during(reasons.ClusterManagerApplyFailed, async () => {
    for (const one of [namespace, bootstrapAccount.namespace]) await ensureNamespace(kube, one, uid, signal)
    await applyAll(kube, names.rights, signal)
    caPem = await ensureAuthority(kube, namespace, { clock, signal })
  })
  const parts = hubParts(installation, caPem)
  await during(reasons.CRDApplyFailed, () => applyAll(kube, parts.kinds, signal))
  await during(reasons.ClusterManagerApplyFailed, async () => {
    await applyAll(kube, [...parts.workloads, ...parts.webhooks], signal)
    await removeRelated(kube, leftOver(listed, wanted), signal)
    await status.write({ fields: { relatedResources: wanted } })
  })
}

/** What fails is said by a condition before it is tried again. */
async function told(reason: Reason, status: StatusWriter, act: () => Promise<unknown>): Promise<void> {
  try {
    await act()
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    if (!isConflict(error)) await status.write({ conditions: [notApplied(reason, message)] })
    throw error
  }
}
