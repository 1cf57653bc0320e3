import { BreakglassSession } from '../../apis/breakglass/breakglass-session.ts'
import { isAbsent, isConflict } from '../../kube/failures.ts'
import type { Kube } from '../../kube/kube.ts'
import type { Session } from '../sessions/contract.ts'
import { stamp, timeOf } from '../sessions/times.ts'

const mostTries = 5

/**
 * Adds uses to what the status of a session has. Guarded by its version, and tried again on what is there by then: so
 * several replicas add up, and neither number nor time ever goes back.
 */
export async function writeUse(
  kube: Kube,
  known: Session,
  use: { readonly count: number; readonly last: Date },
  signal: AbortSignal,
): Promise<'written' | 'gone'> {
  const { namespace, name, uid } = known.metadata
  const sessions = kube.of(BreakglassSession.resource, namespace)
  let base: Session | undefined = known
  for (let tries = 1; ; tries += 1) {
    if (!base || base.metadata.uid !== uid) return 'gone'
    const body = { metadata: { uid, resourceVersion: base.metadata.resourceVersion }, status: added(base, use) }
    try {
      await sessions.patch(name, { type: 'merge', body }, { subresource: 'status', signal })
      return 'written'
    } catch (error) {
      if (isAbsent(error)) return 'gone'
      if (!isConflict(error) || tries === mostTries) throw error
      base = await sessions.find(name, { signal })
    }
  }
}

function added({ status }: Session, { count, last }: { readonly count: number; readonly last: Date }) {
  const before = timeOf(status?.lastActivity)
  return {
    lastActivity: stamp(before && before > last ? before : last),
    activityCount: (status?.activityCount ?? 0) + count,
  }
}
