import { Klusterlet } from '../../apis/operator/klusterlet.ts'
import type { Outcome } from '../../core/outcome.ts'
import { requeueAfter } from '../../core/outcome.ts'
import type { Reason } from '../../core/reason.ts'
import type { Manifest } from '../../fleet/manifests/manifest.ts'
import { isConflict } from '../../kube/failures.ts'
import { deployments, namespaces } from '../../kube/kinds.ts'
import type { Stored } from '../../kube/objects.ts'
import type { AgentInstallation } from '../../registration/manifests/agent.ts'
import { agentDeployment, agentManifests } from '../../registration/manifests/agent.ts'
import { applyAll, ensureNamespace } from '../apply.ts'
import type { OperatorDeps } from '../deps.ts'
import { finalizers } from '../names.ts'
import { reasons } from '../reasons.ts'
import type { Related } from '../related.ts'
import { leftOver, relatedOf, removeRelated, union } from '../related.ts'
import type { StatusWriter } from '../status.ts'
import { statusWriter } from '../status.ts'
import { applied, notApplied, planned } from './conditions.ts'
import { planKlusterlet } from './plan.ts'
import { takeAway } from './take-away.ts'
import type { KlusterletView } from './view.ts'

interface Job {
  klusterlet: Stored<Klusterlet>
  deps: OperatorDeps
  view: KlusterletView
  signal: AbortSignal
}

/** Makes the cluster as a Klusterlet wants it. Nothing is touched before the finalizer is on it. */
export async function applyKlusterlet({ klusterlet, deps, view, signal }: Job): Promise<Outcome> {
  const { kube, settings } = deps
  const collection = kube.of(Klusterlet.resource)
  const owned = await withFinalizer(klusterlet, deps, signal)
  const status = statusWriter(collection, owned, { ...deps, signal })
  const plan = planKlusterlet(owned, settings)
  const { generation } = owned.metadata
  const observed = generation === undefined ? {} : { observedGeneration: generation }
  if (plan.step === 'refuse') {
    const why = `Nothing was changed: ${plan.why}.`
    await status.write({
      conditions: [notApplied(reasons.KlusterletApplyFailed, why), ...planned(plan)],
      fields: observed,
    })
    return requeueAfter(settings.resyncMs)
  }
  const { installation } = plan
  const [first] = view.inNamespace(installation.namespace)
  if (first?.metadata?.name !== owned.metadata.name) {
    const why = `Nothing was changed: the Klusterlet ${first?.metadata?.name} has its agent in ${installation.namespace}; name another namespace.`
    await status.write({ conditions: [notApplied(reasons.KlusterletApplyFailed, why)], fields: observed })
    return requeueAfter(settings.resyncMs)
  }
  await install({ klusterlet: owned, deps, view, signal }, installation, status)
  await status.write({ conditions: [applied(installation.namespace), ...planned(plan)], fields: observed })
  return requeueAfter(settings.resyncMs)
}

async function withFinalizer(
  klusterlet: Stored<Klusterlet>,
  { kube }: OperatorDeps,
  signal: AbortSignal,
): Promise<Stored<Klusterlet>> {
  const { name, resourceVersion, finalizers: held = [] } = klusterlet.metadata
  if (held.includes(finalizers.klusterlet)) return klusterlet
  const body = { metadata: { resourceVersion, finalizers: [...held, finalizers.klusterlet] } }
  return await kube.of(Klusterlet.resource).patch(name, { type: 'merge', body }, { signal })
}

/** Listed first, then made, then what is no longer wanted goes, then the list follows. */
async function install(job: Job, installation: AgentInstallation, status: StatusWriter): Promise<void> {
  const { klusterlet, deps, signal } = job
  const { kube } = deps
  const manifests = agentManifests(installation)
  const isWorkload = ({ resource }: Manifest) => resource.plural === deployments.plural
  const isNamespace = ({ resource }: Manifest) => resource.plural === namespaces.plural
  const wanted = manifests.map(relatedOf)
  const listed = status.status.relatedResources ?? []
  await status.write({ fields: { relatedResources: union(listed, wanted) } })

  await during(reasons.ManagedClusterResourceApplyFailed, status, async () => {
    await leaveFormerNamespaces(listed, installation.namespace, job)
    for (const { object } of manifests.filter(isNamespace))
      await ensureNamespace(kube, object.metadata.name, klusterlet.metadata.uid, signal)
    await applyAll(
      kube,
      manifests.filter((one) => !isWorkload(one) && !isNamespace(one)),
      signal,
    )
  })
  await during(reasons.ManagementClusterResourceApplyFailed, status, async () => {
    const workloads = manifests.filter(isWorkload)
    const made = await applyAll(kube, workloads, signal)
    await removeRelated(kube, leftOver(listed, wanted), signal)
    const generations = workloads.map((one, index) => ({
      ...relatedOf(one),
      lastGeneration: made[index]?.metadata.generation ?? 0,
    }))
    await status.write({ fields: { relatedResources: wanted, generations } })
  })
}

/** The agent that was elsewhere goes first, with its identity: two agents of one cluster would be two candidates for it. */
async function leaveFormerNamespaces(listed: readonly Related[], namespace: string, job: Job): Promise<void> {
  const former = listed.filter(({ resource, name }) => resource === deployments.plural && name === agentDeployment)
  for (const { namespace: home = namespace } of former) if (home !== namespace) await takeAway({ ...job, home })
}

/** What fails is said by a condition before it is tried again. */
async function during(reason: Reason, status: StatusWriter, act: () => Promise<void>): Promise<void> {
  try {
    await act()
  } catch (error) {
    if (!isConflict(error)) {
      const message = error instanceof Error ? error.message : String(error)
      await status.write({ conditions: [notApplied(reason, message)] })
    }
    throw error
  }
}
