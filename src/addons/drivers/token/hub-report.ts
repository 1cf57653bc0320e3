import { ManagedClusterAddOn } from '../../../apis/addon/managed-cluster-addon.ts'
import type { Condition, ConditionReport } from '../../../core/conditions.ts'
import { removeCondition, setCondition } from '../../../core/conditions.ts'
import { addonConditions } from '../../../fleet/names.ts'
import { isAbsent, isConflict } from '../../../kube/failures.ts'
import type { Stored } from '../../../kube/objects.ts'
import type { AddonHubDeps } from '../../hub/deps.ts'
import { reasons } from '../../reasons.ts'
import type { Announcement } from './announcement.ts'
import { formatAnnouncement } from './announcement.ts'
import { announcedBy } from './hub-view.ts'

const type = addonConditions.tokenInfrastructureReady

export const ready = (announcement: Announcement): ConditionReport => ({
  type,
  status: 'True',
  reason: reasons.TokenInfrastructureReady,
  message: formatAnnouncement(announcement),
})

/** Conditions hold 32 KiB; nobody reads that much. */
const longest = 1_000

export const notReady = (message: string): ConditionReport => ({
  type,
  status: 'False',
  reason: reasons.TokenInfrastructureApplyFailed,
  message: message.length > longest ? `${message.slice(0, longest - 1)}…` : message,
})

/** Tries when others write to the same status meanwhile: the agent does, and the add-on's own controller. */
const tries = 5

/** Sets the condition, or takes it away; does nothing when it is so already. */
export async function report(
  { kube, clock, events, checkpoint }: AddonHubDeps,
  addon: Stored<ManagedClusterAddOn>,
  condition: ConditionReport | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { name, namespace = '', uid } = addon.metadata
  const collection = kube.of(ManagedClusterAddOn.resource, namespace)
  let known: Stored<ManagedClusterAddOn> | undefined = addon
  for (let left = tries; known?.metadata.uid === uid; left -= 1) {
    const before = (known.status?.conditions ?? []) as Condition[]
    const conditions = condition ? setCondition(before, condition, clock.now()) : removeCondition(before, type)
    if (conditions === before) return
    const body = { metadata: { resourceVersion: known.metadata.resourceVersion }, status: { conditions } }
    try {
      await collection.patch(name, { type: 'merge', body }, { subresource: 'status', signal })
      if (condition?.status === 'True') checkpoint('addon-token.announced')
      const isNews = condition?.status === 'False' && announcedBy(known)?.message !== condition.message
      if (isNews) {
        const { reason, message } = condition
        events.record(ManagedClusterAddOn.resource, addon, { type: 'Warning', reason, message })
      }
      return
    } catch (error) {
      // Gone meanwhile: there is nobody left to tell.
      if (isAbsent(error)) return
      if (!isConflict(error) || left <= 1) throw error
      known = await collection.find(name, { signal })
    }
  }
}
