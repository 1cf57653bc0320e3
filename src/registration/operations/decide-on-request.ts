import type { Clock } from '../../core/clock.ts'
import { rfc3339 } from '../../core/conditions.ts'
import type { Reason } from '../../core/reason.ts'
import { isConflict } from '../../kube/failures.ts'
import { certificateSigningRequests } from '../../kube/kinds.ts'
import type { Kube, WriteOptions } from '../../kube/kube.ts'

export interface Decision {
  type: 'Approved' | 'Denied'
  reason: Reason
  message?: string
}

/** Approves or denies a CSR; one that was decided on in the meantime is left as it is. */
export async function decideOn(
  name: string,
  { type, reason, message = 'Decided on with lanyard.' }: Decision,
  { kube, clock, ...options }: WriteOptions & { kube: Kube; clock: Clock },
): Promise<void> {
  const csrs = kube.of(certificateSigningRequests)
  for (;;) {
    const csr = await csrs.get(name, options)
    if ((csr.status?.conditions ?? []).some((condition) => condition.type === type)) return
    const condition = { type, status: 'True', reason, message, lastUpdateTime: rfc3339(clock.now()) }
    const decided = { ...csr, status: { ...csr.status, conditions: [...(csr.status?.conditions ?? []), condition] } }
    try {
      await csrs.update(decided, { ...options, subresource: 'approval' })
      return
    } catch (error) {
      if (!isConflict(error)) throw error
    }
  }
}
