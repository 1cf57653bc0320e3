import type { SessionState } from '../../apis/breakglass/session-status-fields.ts'
import type { Session } from '../sessions/index.ts'
import type { Sight } from './sight.ts'

/** What a list is asked for. Of the relations to the caller any suffices; of the rest all must hold. */
export interface ListQuery {
  readonly cluster?: string
  readonly user?: string
  readonly group?: string
  readonly mine?: boolean
  /** Default: whether neither of the other two is asked for. */
  readonly approver?: boolean
  readonly approvedByMe?: boolean
  readonly activeOnly?: boolean
  readonly state?: readonly string[]
}

/** A session with what the filter looks at. */
export interface Listed {
  readonly session: Session
  readonly sight: Sight
  readonly state: SessionState
  readonly grants: boolean
}

type Token = (listed: Listed) => boolean
const is =
  (...states: SessionState[]): Token =>
  ({ state }) =>
    states.includes(state)
const waiting = is('WaitingForScheduledTime')
const timedOut = is('ApprovalTimeout')

/** The words for states. `approved` has begun and not ended; `active` is what grants at this moment. */
const tokens: Readonly<Record<string, Token>> = {
  all: () => true,
  pending: is('Pending'),
  approved: is('Approved'),
  active: ({ grants }) => grants,
  waiting,
  waitingforscheduledtime: waiting,
  scheduled: waiting,
  rejected: is('Rejected'),
  withdrawn: is('Withdrawn'),
  expired: is('Expired'),
  idleexpired: is('IdleExpired'),
  timeout: timedOut,
  approvaltimeout: timedOut,
}

export const stateTokens: readonly string[] = Object.keys(tokens)

/** Of `state`: the first that is no word for one. */
export const unknownState = ({ state = [] }: ListQuery): string | undefined =>
  state.find((token) => !Object.hasOwn(tokens, token.toLowerCase()))

export function isWanted(query: ListQuery): (listed: Listed) => boolean {
  const { cluster, user, group, mine = false, approvedByMe = false, activeOnly = false, state = [] } = query
  const approver = query.approver ?? !(mine || approvedByMe)
  const wanted = state.map((token) => tokens[token.toLowerCase()]).filter((token) => token !== undefined)
  return (listed) => {
    const { session, sight, grants } = listed
    const isTheirs =
      (mine && sight.isRequester) || (approver && sight.approval.allowed) || (approvedByMe && sight.hasDecided)
    return (
      isTheirs &&
      (cluster === undefined || session.spec.cluster === cluster) &&
      (user === undefined || session.spec.user === user) &&
      (group === undefined || session.spec.grantedGroup === group) &&
      (!activeOnly || grants) &&
      (wanted.length === 0 || wanted.some((token) => token(listed)))
    )
  }
}

/** The newest first. */
export const byAge = (a: Listed, b: Listed): number => {
  const [first, second] = [ageOf(a), ageOf(b)]
  return first === second ? (a.session.metadata.name < b.session.metadata.name ? -1 : 1) : first < second ? 1 : -1
}
const ageOf = ({ session }: Listed): string => session.metadata.creationTimestamp ?? ''
