import { IdentityProvider } from '../../apis/breakglass/identity-provider.ts'
import type { Clock } from '../../core/clock.ts'
import type { Condition } from '../../core/conditions.ts'
import { findCondition, setCondition } from '../../core/conditions.ts'
import type { EventRecorder } from '../../kube/events.ts'
import { isNotFound } from '../../kube/failures.ts'
import type { Kube } from '../../kube/kube.ts'
import type { Stored } from '../../kube/objects.ts'
import type { Finding } from './ready.ts'
import { reasons } from './reasons.ts'

export interface ReportDeps {
  kube: Kube
  clock: Pick<Clock, 'now'>
  events: EventRecorder
}

const ready = 'Ready'
/** Applied on its own, so that conditions of others stay. */
const fieldManager = 'lanyard-identity-providers'

/** Writes nothing when all is said already. */
export async function report(
  { kube, clock, events }: ReportDeps,
  provider: Stored<IdentityProvider>,
  finding: Finding,
  signal: AbortSignal,
): Promise<void> {
  const { name, uid, generation: observedGeneration = 0 } = provider.metadata
  const before = findCondition(provider.status?.conditions as Condition[] | undefined, ready)
  const known = before && [before]
  const conditions = setCondition(known, { type: ready, ...finding, observedGeneration }, clock.now())
  if (conditions === known && provider.status?.observedGeneration === observedGeneration) return
  const own = { metadata: { name, uid }, status: { observedGeneration, conditions } }
  try {
    const options = { fieldManager, force: true, subresource: 'status', signal }
    await kube.of(IdentityProvider.resource).apply(own, options)
  } catch (error) {
    if (isNotFound(error)) return
    throw error
  }
  if (before?.status === finding.status && before.reason === finding.reason) return
  const isTrouble = finding.status !== 'True' && finding.reason !== reasons.Disabled
  const { reason, message } = finding
  events.record(IdentityProvider.resource, provider, { type: isTrouble ? 'Warning' : 'Normal', reason, message })
}
