import { keyOf } from '../../kube/objects.ts'
import type { Session } from '../sessions/contract.ts'
import { isOfSlot } from '../sessions/slot.ts'
import { standingOf } from '../sessions/standing.ts'
import type { AnyState } from '../sessions/states.ts'
import { stateOf } from '../sessions/states.ts'
import { timeOf } from '../sessions/times.ts'

const order: readonly AnyState[] = ['Approved', 'WaitingForScheduledTime', 'Pending']

/** Of two that live in one slot: the further one, then the older one, then the first by name. */
export function isBetter(a: Session, b: Session): boolean {
  const byRank = rank(a) - rank(b)
  if (byRank !== 0) return byRank < 0
  const byAge = madeAt(a) - madeAt(b)
  return byAge === 0 ? keyOf(a) < keyOf(b) : byAge < 0
}

/** What nobody has looked at yet waits as well. */
function rank(session: Session): number {
  const place = order.indexOf(stateOf(session))
  return place < 0 ? order.length : place
}

const madeAt = ({ metadata }: Session): number => timeOf(metadata.creationTimestamp)?.getTime() ?? 0

/** Another one of the same slot that lives and stays, so that this one must not. */
export const rivalOf = (session: Session, others: readonly Session[], now: Date): Session | undefined =>
  others.find(
    (other) =>
      other.metadata.uid !== session.metadata.uid &&
      isOfSlot(other.spec, session.spec) &&
      standingOf(other, now).live &&
      isBetter(other, session),
  )
