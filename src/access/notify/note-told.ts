import { BreakglassSession } from '../../apis/breakglass/breakglass-session.ts'
import { isConflict } from '../../kube/failures.ts'
import type { Kube } from '../../kube/kube.ts'
import type { Session } from '../sessions/contract.ts'

const mostTries = 5

/** Of each call. An end that is in order waits for it. */
const deadlineMs = 2_000

/**
 * Writes down that people and the audit know of the history up to `seq`. Never back, and only of this very session. No
 * stop cuts it short: what has been told and not noted is told again after the next start.
 */
export async function noteTold(kube: Kube, session: Session, seq: number): Promise<void> {
  const { namespace, name, uid } = session.metadata
  const collection = kube.of(BreakglassSession.resource, namespace)
  let latest: Session | undefined = session
  for (let tries = 1; latest?.metadata.uid === uid; tries += 1) {
    if ((latest.status?.told ?? 0) >= seq) return
    const body = { metadata: { resourceVersion: latest.metadata.resourceVersion }, status: { told: seq } }
    try {
      await collection.patch(name, { type: 'merge', body }, { subresource: 'status', deadlineMs })
      return
    } catch (error) {
      if (!isConflict(error) || tries === mostTries) throw error
      latest = await collection.find(name, { deadlineMs })
    }
  }
}
