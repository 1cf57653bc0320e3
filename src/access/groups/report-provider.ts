import { IdentityProvider } from '../../apis/breakglass/identity-provider.ts'
import type { Condition, ConditionReport } from '../../core/conditions.ts'
import { findCondition, setCondition } from '../../core/conditions.ts'
import { isNotFound } from '../../kube/failures.ts'
import type { Stored } from '../../kube/objects.ts'
import type { AccessHubDeps } from '../hub/deps.ts'

const type = 'GroupSyncHealthy'
/** Applied on its own, so that conditions of others stay. */
const fieldManager = 'lanyard-group-sync'

/** Says of an IdentityProvider whether its groups can be read. Writes nothing when that is said already. */
export async function reportGroupSync(
  { kube, clock, events }: Pick<AccessHubDeps, 'kube' | 'clock' | 'events'>,
  provider: Stored<IdentityProvider>,
  finding: Pick<ConditionReport, 'status' | 'reason' | 'message'>,
  signal: AbortSignal,
): Promise<void> {
  const { name, uid, generation: observedGeneration = 0 } = provider.metadata
  const before = findCondition(provider.status?.conditions as Condition[] | undefined, type)
  const known = before && [before]
  const conditions = setCondition(known, { type, ...finding, observedGeneration }, clock.now())
  if (conditions === known) return
  const own = { metadata: { name, uid }, status: { conditions } }
  try {
    await kube.of(IdentityProvider.resource).apply(own, { fieldManager, force: true, subresource: 'status', signal })
  } catch (error) {
    if (isNotFound(error)) return
    throw error
  }
  if (before?.status === finding.status && before.reason === finding.reason) return
  const { reason, message } = finding
  events.record(IdentityProvider.resource, provider, {
    type: finding.status === 'True' ? 'Normal' : 'Warning',
    reason,
    message,
  })
}
