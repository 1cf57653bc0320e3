import { isFailure } from '../../core/failure.ts'
import type { RestRequest, RestRoute } from '../../fleet/rest.ts'
import type { RequestFacts, Session, Wish } from '../sessions/index.ts'
import { isRequester, standingOf } from '../sessions/index.ts'
import { approvalMetaOf } from './approval-meta.ts'
import type { Person } from './contract.ts'
import type { PeopleDeps } from './deps.ts'
import { placeOf, whoCalls } from './deps.ts'
import * as examples from './examples.ts'
import { failures } from './failures.ts'
import { sessionsNamed } from './find-session.ts'
import type { Listed, ListQuery } from './list-filter.ts'
import { byAge, isWanted, stateTokens, unknownState } from './list-filter.ts'
import { bodyReader } from './read-body.ts'
import { requestFacts, withLiveObjects } from './request-facts.ts'
import * as schemas from './schemas.ts'
import { shownSession, stateNow } from './shown.ts'
import { isVisible, sightOf } from './sight.ts'

export const sessionsPath = '/api/breakglassSessions'
const common = { tag: 'Sessions' } as const

export const sessionRoutes = (deps: PeopleDeps): RestRoute[] => [
  {
    ...common,
    method: 'GET',
    path: sessionsPath,
    operationId: 'listSessions',
    summary: 'List sessions',
    description:
      'Of those that the caller asked for, may decide on, or decided on. To all others they do not exist. `Link` leads to the next page.',
    query: schemas.listQuery,
    answers: { 200: schemas.sessionList },
    problems: { 404: 'With `token`: there is no such session for the caller.' },
    example: { query: { state: 'pending' }, answers: { 200: { items: [examples.session], total: 1 } } },
    handle: async ({ query, caller, signal }: RestRequest<unknown, PagedQuery>) => {
      const person = whoCalls(caller, deps)
      return query.token === undefined ? listed(query, person, deps) : await byToken(query.token, person, deps, signal)
    },
  },
  {
    ...common,
    method: 'POST',
    path: sessionsPath,
    operationId: 'requestSession',
    summary: 'Ask for access',
    description: 'The rights of a group, in one cluster and for a while. Approvers are told.',
    limit: 'requests',
    body: schemas.wish,
    readsBody: true,
    answers: { 201: schemas.session },
    problems: {
      409: 'The caller has a session for this cluster and group: `session`.',
      422: 'The body is none, a reason or a claim is missing, the time is too short or too long, or there are too many.',
    },
    example: { body: examples.wish, answers: { 201: examples.session } },
    handle: async ({ body, caller, signal }: RestRequest<unknown, unknown, string>) => {
      const asked = wishOf(readWish(body))
      const made = await requested(asked, whoCalls(caller, deps), deps, signal)
      return { status: 201, body: shownSession(made) }
    },
  },
  {
    ...common,
    method: 'GET',
    path: `${sessionsPath}/{name}`,
    operationId: 'getSession',
    summary: 'Look at a session',
    description: 'For whoever asked for it, decides on it or decided on it.',
    params: schemas.nameParams,
    answers: { 200: schemas.sessionAnswer },
    example: { params: { name: examples.sessionName }, answers: { 200: examples.sessionAnswer } },
    handle: async ({ params, caller, signal }: RestRequest<{ name: string }>) => {
      const person = whoCalls(caller, deps)
      const found = await visible(params.name, person, deps, signal)
      if (!found) throw failures.ACCESS_NOT_YOURS({ name: params.name })
      const { session, sight, state } = found
      return {
        status: 200,
        body: { session: shownSession(session), approvalMeta: approvalMetaOf(session, sight, state) },
      }
    },
  },
]

interface PagedQuery extends ListQuery {
  page: number
  pageSize: number
  token?: string
}

function listed(query: PagedQuery, person: Person, deps: PeopleDeps) {
  const unknown = unknownState(query)
  if (unknown !== undefined)
    throw failures.ACCESS_BAD_QUERY({ field: 'state', detail: `it is one of ${stateTokens.join(', ')}` })
  const { page, pageSize } = query
  const all = deps.view.sessions
    .list()
    .map((session) => lookAt(session, person, deps))
    .filter(isWanted(query))
    .toSorted(byAge)
  const items = all.slice((page - 1) * pageSize, page * pageSize).map(({ session }) => shownSession(session))
  const hasMore = all.length > page * pageSize
  return {
    status: 200,
    body: { items, total: all.length },
    ...(hasMore && { headers: { link: `<${nextPage(query)}>; rel="next"` } }),
  }
}

function nextPage({ page, state, ...query }: PagedQuery): string {
  const params = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  )
  if (state) params.set('state', state.join(','))
  params.set('page', String(page + 1))
  return `${sessionsPath}?${params}`
}

/** For a link in a mail: whether there is still something to do. */
async function byToken(name: string, person: Person, deps: PeopleDeps, signal: AbortSignal) {
  const found = await visible(name, person, deps, signal)
  if (!found) return { status: 404, body: { valid: false } }
  const { canApprove } = approvalMetaOf(found.session, found.sight, found.state)
  return { status: 200, body: { valid: true, alreadyActive: found.grants, canApprove } }
}

async function visible(
  name: string,
  person: Person,
  deps: PeopleDeps,
  signal: AbortSignal,
): Promise<Listed | undefined> {
  const found = await sessionsNamed(name, deps, signal)
  return found.map((session) => lookAt(session, person, deps)).find(({ sight }) => isVisible(sight))
}

function lookAt(session: Session, person: Person, deps: PeopleDeps): Listed {
  const [now, lastUsed] = [deps.clock.now(), deps.lastUsed(placeOf(session))]
  const standing = standingOf(session, now, lastUsed)
  return {
    session,
    sight: sightOf(session, person, deps),
    state: stateNow(session, now, lastUsed),
    grants: standing.live && standing.grants,
  }
}

const readWish = bodyReader(schemas.wish, failures.ACCESS_BAD_WISH)

const wishOf = ({ cluster = '', group = '', duration, ...given }: ReturnType<typeof readWish>): Wish => ({
  cluster,
  group,
  ...given,
  ...(duration !== undefined && { seconds: duration }),
})

async function requested(wish: Wish, person: Person, deps: PeopleDeps, signal: AbortSignal): Promise<Session> {
  const answer = await retriedLive(wish, await requestFacts(wish, person, deps, signal), deps, signal)
  if ('made' in answer) return answer.made
  const { exists } = answer
  const { state } = lookAt(exists, person, deps)
  throw failures.ACCESS_SESSION_EXISTS({
    what: existing[state] ?? 'session exists',
    name: exists.metadata.name,
    // Of the same name by another provider it may be somebody else's.
    ...(isRequester(exists, person) && { session: shownSession(exists) }),
  })
}

const existing: Readonly<Record<string, string>> = { Approved: 'already approved', Pending: 'already requested' }

/** What is refused on the word of a view that may lag is looked up at the server before it counts. */
async function retriedLive(wish: Wish, facts: RequestFacts, deps: PeopleDeps, signal: AbortSignal) {
  try {
    return await deps.store.request(wish, facts, signal)
  } catch (error) {
    if (!isFailure(error) || !mayLag.has(error.code)) throw error
    return await deps.store.request(wish, await withLiveObjects(facts, wish, deps, signal), signal)
  }
}

const mayLag: ReadonlySet<string> = new Set([
  'ACCESS_NO_ESCALATION',
  'ACCESS_ESCALATION_NOT_READY',
  'ACCESS_CLUSTER_UNKNOWN',
  'ACCESS_CLUSTER_NOT_READY',
])
