import type { TSchema } from 'typebox'
import { Failure, isFailure } from '../../core/failure.ts'
import type { RestRequest, RestRoute } from '../../fleet/rest.ts'
import type { Action, Session } from '../sessions/index.ts'
import { approverOf, sessionFailures } from '../sessions/index.ts'
import type { Person } from './contract.ts'
import type { PeopleDeps } from './deps.ts'
import { placeOf, whoCalls } from './deps.ts'
import * as examples from './examples.ts'
import { failures } from './failures.ts'
import { sessionsNamed } from './find-session.ts'
import { bodyReader } from './read-body.ts'
import * as schemas from './schemas.ts'
import { sessionsPath } from './session-routes.ts'
import { shownSession } from './shown.ts'
import type { Sight } from './sight.ts'
import { approvalOf, sightOf } from './sight.ts'

/** Something that a person does to a session. */
interface Deed {
  readonly name: 'approve' | 'reject' | 'withdraw' | 'drop' | 'cancel' | 'extend' | 'review'
  readonly summary: string
  readonly description: string
  /** Absent: none is taken. */
  readonly body?: TSchema
  readonly example?: unknown
  /** Whether this person may at all. Settled before their body is read and before the state of the session is told. */
  readonly whyNot: (sight: Sight) => Failure | undefined
  readonly read: (text: string, by: Person) => Action
}

const onlyApprovers = ({ approval }: Sight) => (approval.allowed ? undefined : approval.failure)
const onlyRequester = ({ isRequester }: Sight) => (isRequester ? undefined : sessionFailures.ACCESS_NOT_THE_REQUESTER())
const either = (sight: Sight) => (sight.isRequester ? undefined : onlyApprovers(sight))

const readApproval = bodyReader(schemas.approveBody, failures.ACCESS_BAD_BODY)
const readReason = bodyReader(schemas.reasonBody, failures.ACCESS_BAD_BODY)
const readExtension = bodyReader(schemas.extendBody, failures.ACCESS_BAD_BODY)
const readReview = bodyReader(schemas.reviewBody, failures.ACCESS_BAD_BODY)

const deeds: readonly Deed[] = [
  {
    name: 'approve',
    summary: 'Approve a session',
    description:
      'Or, of a session that runs, the extension that is asked for. Where several must approve, each of them once.',
    body: schemas.approveBody,
    example: { reason: 'on call', duration: 1_800 },
    whyNot: onlyApprovers,
    read: (text, by) => {
      const { reason, duration } = readApproval(text)
      return { do: 'approve', by, ...words({ reason }), ...(duration !== undefined && { seconds: duration }) }
    },
  },
  {
    name: 'reject',
    summary: 'Reject a session',
    description: 'Or, of a session that runs, the extension that is asked for. Whoever asked may reject their own too.',
    body: schemas.reasonBody,
    example: { reason: 'use the runbook first' },
    whyNot: either,
    read: (text, by) => ({ do: 'reject', by, ...words(readReason(text)) }),
  },
  {
    name: 'withdraw',
    summary: 'Take a request back',
    description: 'By whoever asked, before anybody has decided.',
    whyNot: onlyRequester,
    read: (text, by) => nothing(text, { do: 'withdraw', by }),
  },
  {
    name: 'drop',
    summary: 'Give access up',
    description: 'By whoever asked, at any time.',
    whyNot: onlyRequester,
    read: (text, by) => nothing(text, { do: 'drop', by }),
  },
  {
    name: 'cancel',
    summary: 'End access of somebody',
    description: 'By an approver, of a session that runs or is to begin.',
    body: schemas.reasonBody,
    example: { reason: 'the incident is over' },
    whyNot: onlyApprovers,
    read: (text, by) => ({ do: 'cancel', by, ...words(readReason(text)) }),
  },
  {
    name: 'extend',
    summary: 'Ask for more time',
    description: 'By whoever asked, of a session that runs. It is approved as the session was.',
    body: schemas.extendBody,
    example: { duration: 900, reason: 'the restore takes longer' },
    whyNot: onlyRequester,
    read: (text, by) => {
      const { duration, reason } = readExtension(text)
      return { do: 'extend', by, seconds: duration, ...words({ reason }) }
    },
  },
  {
    name: 'review',
    summary: 'Review an emergency',
    description: 'By an approver, of a session that nobody had approved.',
    body: schemas.reviewBody,
    example: { verdict: 'Justified', comment: 'the cluster was down' },
    whyNot: onlyApprovers,
    read: (text, by) => {
      const { verdict, comment } = readReview(text)
      return { do: 'review', by, verdict: verdict as 'Justified', ...(comment !== undefined && { comment }) }
    },
  },
]

const words = ({ reason }: { reason?: string | undefined }) => (reason === undefined ? {} : { reason })

function nothing(text: string, action: Action): Action {
  if (text !== '') throw failures.ACCESS_BODY_NOT_TAKEN()
  return action
}

export const actionRoutes = (deps: PeopleDeps): RestRoute[] => deeds.map((deed) => routeOf(deed, deps))

const routeOf = (deed: Deed, deps: PeopleDeps): RestRoute => ({
  method: 'POST',
  path: `${sessionsPath}/{name}/${deed.name}`,
  operationId: `${deed.name}Session`,
  summary: deed.summary,
  description: deed.description,
  tag: 'Sessions',
  params: schemas.nameParams,
  ...(deed.body && { body: deed.body }),
  readsBody: true,
  answers: { 200: schemas.session },
  problems: {
    400: 'The body is not right, or the state of the session is not one for this: `session`.',
    409: 'It is done already, or others change the same at this moment: `session`.',
    422: 'A reason is missing, or the time is too short or too long.',
  },
  example: {
    params: { name: examples.sessionName },
    ...(deed.example !== undefined && { body: deed.example }),
    answers: { 200: examples.approvedSession },
  },
  handle: async ({ params, body, caller, signal }: RestRequest<{ name: string }, unknown, string>) => {
    const person = whoCalls(caller, deps)
    const session = await actedOn(params.name, person, deed, deps, signal)
    const action = deed.read(body, person)
    try {
      const acted = await deps.store.act(placeOf(session), action, signal)
      if (deed.name === 'approve') auditUnverified(session, person, deps)
      return { status: 200, body: shownSession(acted) }
    } catch (error) {
      throw await withSession(error, session, deps, signal)
    }
  },
})

/** Groups that only the token names decided: nobody has their members from the identity provider. */
function auditUnverified(session: Session, person: Person, deps: PeopleDeps): void {
  if (approvalOf(session, { ...person, groups: [] }, deps).allowed) return
  const { namespace = '', name } = session.metadata
  const { cluster, user, grantedGroup: group } = session.spec
  deps.audit.record({
    type: 'session.approval_unverified_groups',
    actor: { user: approverOf(person), identityProvider: person.identityProvider, groups: person.groups },
    target: { kind: 'BreakglassSession', name, namespace, cluster },
    details: { user, group },
    requestContext: { sessionName: name },
  })
}

/**
 * The first of this name that they may act on. Who is refused learns why, as of one that is not there; at most that there
 * is one of this name, never whose it is or how it stands.
 */
async function actedOn(
  name: string,
  person: Person,
  deed: Deed,
  deps: PeopleDeps,
  signal: AbortSignal,
): Promise<Session> {
  const found = await sessionsNamed(name, deps, signal)
  const refusals: Failure[] = []
  for (const session of found) {
    const refused = deed.whyNot(sightOf(session, person, deps))
    if (!refused) return session
    refusals.push(refused)
  }
  throw refusals[0] ?? deed.whyNot(nobodys) ?? failures.ACCESS_NOT_YOURS({ name })
}

const nobodys: Sight = {
  isRequester: false,
  hasDecided: false,
  approval: { allowed: false, denialReason: 'NOT_AN_APPROVER', failure: sessionFailures.ACCESS_NOT_AN_APPROVER() },
}

/** Who may act may see in what state it is. */
async function withSession(error: unknown, session: Session, deps: PeopleDeps, signal: AbortSignal): Promise<unknown> {
  if (!isFailure(error) || (error.status !== 400 && error.status !== 409)) return error
  const found = await sessionsNamed(session.metadata.name, deps, signal)
  const latest = found.find(({ metadata }) => metadata.uid === session.metadata.uid) ?? session
  return new Failure(error.code, error.status, error.message, { ...error.params, session: shownSession(latest) })
}
