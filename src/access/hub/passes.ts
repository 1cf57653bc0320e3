import type { Pass, Passes } from '../../core/pass.ts'
import { passBoard } from '../../core/pass-board.ts'
import { reasons } from '../../core/reasons.ts'
import { keyOf } from '../../kube/objects.ts'
import type { Session } from '../sessions/contract.ts'
import { isGrantOnRecord } from '../sessions/on-record.ts'
import { standingOf } from '../sessions/standing.ts'
import { stateOf } from '../sessions/states.ts'
import { timeOf } from '../sessions/times.ts'
import type { AccessView } from '../view.ts'
import type { AccessHubDeps } from './deps.ts'

/** A session that grants is a pass: its holder is the user, its issuer the escalation. */
export function accessPasses({ clock, view }: Pick<AccessHubDeps, 'clock'> & { view: AccessView }): Passes {
  const board = passBoard()
  const told = new Map<string, string>()
  const put = (pass: Pass) => {
    const text = JSON.stringify(pass)
    if (told.get(pass.id) === text) return
    told.set(pass.id, text)
    board.put(pass)
  }
  const remove = (id: string) => {
    if (told.delete(id)) board.remove(id, clock.now())
  }
  view.sessions.on(({ type, object }) => {
    // By the state: when the time runs out, the pass says so itself.
    const isGranted =
      type !== 'deleted' &&
      stateOf(object) === 'Approved' &&
      isGrantOnRecord(object) &&
      standingOf(object, clock.now()).live
    if (isGranted) put(passOf(object))
    else remove(idOf(object))
  })
  return { list: board.list, changes: board.changes }
}

export function passOf(session: Session): Pass {
  const { metadata, spec, status = {} } = session
  const [owner] = (metadata.ownerReferences ?? []).filter(({ controller }) => controller)
  const escalation = spec.escalation ?? owner?.name
  const expiresAt = timeOf(status.expiresAt)
  return {
    id: idOf(session),
    kind: 'access',
    holder: `${spec.user} on ${spec.cluster}`,
    issuer: escalation === undefined ? 'breakglassescalation' : `breakglassescalation/${escalation}`,
    issuedAt: timeOf(status.actualStartTime) ?? timeOf(status.approvedAt) ?? new Date(metadata.creationTimestamp ?? 0),
    ...(expiresAt && { expiresAt }),
    keptIn: `breakglasssession/${metadata.namespace}/${metadata.name}`,
    fingerprint: metadata.uid,
    state: reasons.PassIssued,
  }
}

const idOf = (session: Session): string => `access/${keyOf(session)}`
