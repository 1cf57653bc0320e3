import type { Lease } from 'kubernetes-types/coordination/v1.d.ts'
import type { ManagedClusterAddOn } from '../../apis/addon/managed-cluster-addon.ts'
import { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import { after } from '../../core/clock.ts'
import type { Condition, ConditionReport } from '../../core/conditions.ts'
import { findCondition } from '../../core/conditions.ts'
import type { Run } from '../../core/lifecycle.ts'
import type { JoinedHub } from '../../fleet/joined.ts'
import { addonConditions, conditions } from '../../fleet/names.ts'
import { informer } from '../../kube/informer.ts'
import { leases } from '../../kube/kinds.ts'
import type { Stored } from '../../kube/objects.ts'
import { installNamespaceOf } from '../registrations.ts'
import type { Crew } from './crew.ts'
import type { AddonAgentDeps } from './deps.ts'
import { isCalledUnreachable, isJudgedByLease, judgeAddonLease } from './lease-health.ts'
import type { SpokeView } from './spoke-view.ts'

export interface AddonHealth {
  /** What is to be said of the add-on's health, and when to look again. */
  of(addon: Stored<ManagedClusterAddOn>, signal: AbortSignal): Promise<{ report?: ConditionReport; until?: Date }>
  forget(addon: string): Promise<void>
}

const member = 'watch of the own cluster'

/** How add-ons are doing by their leases. Keeps silent about those that the hub called unreachable, as long as it does. */
export function addonHealth(
  deps: AddonAgentDeps,
  { kube: hub, cluster }: JoinedHub,
  runs: Crew,
  spoke: SpokeView,
  onHeardAgain: (addon: string) => void,
): AddonHealth {
  const silent = new Set<string>()
  // Watched only while an add-on waits for it: a hub has many clusters.
  const self = informer(hub.of(ManagedCluster.resource), { ...deps, fieldSelector: `metadata.name=${cluster}` })
  const isHeard = (): boolean => {
    const found = findCondition(self.get(cluster)?.status?.conditions as Condition[] | undefined, conditions.available)
    return self.isSynced && found !== undefined && found.status !== 'Unknown'
  }
  const listen = () => {
    if (isHeard()) for (const addon of silent) onHeardAgain(addon)
  }
  self.on(listen)
  const watchSelf: Run = (signal) => {
    const running = self.run(signal)
    // No event tells of a cluster that is as it was when it was watched before.
    void self.synced(signal).then(listen, () => {})
    return running
  }

  async function keepSilent(addon: string, isSilent: boolean): Promise<void> {
    if (isSilent) silent.add(addon)
    else silent.delete(addon)
    if (silent.size > 0) runs.start(member, watchSelf)
    else if (runs.has(member)) await runs.stop(member)
  }

  /** Asks the server itself: a watch that hangs must not make an add-on look dead. */
  async function newest(namespace: string, name: string, signal: AbortSignal): Promise<Lease | undefined> {
    const { items } = await deps.spoke.of(leases, namespace).list({ fieldSelector: `metadata.name=${name}`, signal })
    return items[0]
  }

  return {
    forget: (addon) => keepSilent(addon, false),
    async of(addon, signal) {
      const { name } = addon.metadata
      const namespace = installNamespaceOf(addon)
      const isSilent = isJudgedByLease(addon) && isCalledUnreachable(addon) && !(runs.has(member) && isHeard())
      await keepSilent(name, isSilent)
      const seen = spoke.leasesIn(namespace)
      if (isSilent || !seen || !isJudgedByLease(addon)) return {}
      const judge = (lease: Lease | undefined) => judgeAddonLease(name, lease, deps.clock.now(), deps.settings)
      const verdict = judge(seen.get(`${namespace}/${name}`))
      const isNews = statusOf(addon) === 'True' && verdict.report.status !== 'True'
      if (!isNews) return verdict
      const asked = await newest(namespace, name, signal).catch(() => 'no answer' as const)
      return asked === 'no answer' ? { until: after(deps.clock.now(), deps.settings.leaseCheckMs) } : judge(asked)
    },
  }
}

const statusOf = ({ status }: ManagedClusterAddOn) =>
  findCondition(status?.conditions as Condition[] | undefined, addonConditions.available)?.status
