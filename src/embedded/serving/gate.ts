import type { Clock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import type { Impersonate } from '../authentication/impersonation.ts'
import type { Authenticator, Presented, User } from '../authentication/user.ts'
import type { Notes } from '../authentication/verdict.ts'
import type { Attributes, Authorizer } from '../authorization/attributes.ts'
import { forbiddenBy } from '../authorization/forbidden.ts'
import type { Answer } from '../requests/answer.ts'
import { failureAnswer, isWatchAnswer } from '../requests/answer.ts'
import type { ApiRequest } from '../requests/body.ts'
import { headerOf } from '../requests/body.ts'
import { negotiate } from '../requests/negotiate.ts'
import type { RequestInfo } from '../requests/request-info.ts'
import { readRequestInfo } from '../requests/request-info.ts'
import { exactField, parseFieldSelector } from '../select/field-selector.ts'
import { checkSelectorLengths } from '../select/matcher.ts'
import { ApiFailure, internalError, unavailable } from '../status.ts'
import { ObjectTooLarge, StorageFailure } from '../storage/store.ts'
import { isHealth } from './health.ts'
import type { Account, Load } from './load.ts'
import { Warnings } from './warnings.ts'

export interface GateDeps {
  authenticator: Authenticator
  authorizer: Authorizer
  impersonate: Impersonate
  clock: Clock
  log: Log
  load: Load
  /** What is behind the gate. */
  route(request: ApiRequest, info: RequestInfo, user: User, warn: (message: string) => void): Promise<Answer>
}

export interface Gated {
  readonly answer: Answer
  readonly warnings: readonly string[]
  readonly info: RequestInfo
  /** Of its sender, where that is known. */
  readonly account?: Account | undefined
  /** Held by an answer that is a watch, until that is over. */
  readonly held?: Disposable | undefined
}

/**
 * Who asks, whether they may, and then the answer. Never throws. A place is taken once all of the request is there, so
 * that none is held by a client that has yet to send something.
 */
export async function throughGate(
  deps: GateDeps,
  request: ApiRequest,
  presented: Presented,
  onKnown?: (account: Account) => void,
): Promise<Gated> {
  const info = readRequestInfo(request.method, request.path, request.query)
  const { audit } = request
  const warnings = new Warnings()
  const warn = (message: string): void => warnings.add(message)
  let account: Account | undefined
  using holding = new DisposableStack()
  try {
    let annotations: Notes['annotations'] = {}
    const authenticated = await deps.authenticator.authenticate(presented, request.path, (notes) => {
      annotations = notes.annotations
      if (notes.warning !== undefined) warn(notes.warning)
    })
    account = holding.use(deps.load.of(authenticated))
    onKnown?.(account)
    const own = attributesOf(info, request, authenticated)
    audit?.received(own, annotations)
    const isCounted = !isHealth(request.path)
    if (isCounted) account.arrive(headerBytes(request))
    checkSelectorLengths(request.query)
    const user = await decide(deps, own, request)
    const begin = async () => {
      if (!isCounted) return
      account?.begin(info)
      await account?.turn()
    }
    if (!mayHaveBody(request)) await begin()
    const answer = await deps.route(beginningWithBody(request, begin), info, user, warn)
    const held = isWatchAnswer(answer) ? account.watch() : undefined
    return { answer, warnings: warnings.list(), info, account, held }
  } catch (error) {
    audit?.failed(error, attributesOf(info, request, nobody))
    return { answer: answerFailure(error, request, deps.log), warnings: warnings.list(), info, account }
  }
}

/** As long as the real server gives a request: several webhooks that hang come to more than each of them may take. */
const decidedWithinMs = 60_000

/** As whom the request is answered. Throws where that one may not, and where not all authorizers were asked in time. */
async function decide(
  { authorizer, clock, impersonate }: GateDeps,
  own: Attributes,
  { audit, rawHeaders, uri }: ApiRequest,
): Promise<User> {
  const late = new AbortController()
  const isLate = Promise.withResolvers<never>()
  using _deadline = clock.countdown(decidedWithinMs, () => {
    const why = unavailable('it was not decided in time whether the request is allowed, please try again later')
    late.abort(why)
    isLate.reject(why)
  })
  const decided = async (): Promise<User> => {
    const user = await impersonate(own, rawHeaders, audit)
    if (user !== own.user) audit?.impersonates(user)
    const attributes = user === own.user ? own : { ...own, user }
    const decision = await authorizer.authorize(attributes, late.signal)
    audit?.decided(decision)
    if (decision.verdict !== 'allow') throw forbiddenBy(attributes, decision, uri)
    return user
  }
  return await Promise.race([decided(), isLate.promise])
}

const bodyless: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])
const mayHaveBody = ({ method }: ApiRequest): boolean => !bodyless.has(method)

/** The same request, which begins when its body is there. */
function beginningWithBody(request: ApiRequest, begin: () => Promise<void>): ApiRequest {
  if (!mayHaveBody(request)) return request
  let body: Promise<Buffer> | undefined
  const read = async () => {
    const bytes = await request.readBody()
    await begin()
    return bytes
  }
  return { ...request, readBody: () => (body ??= read()) }
}

const headerBytes = ({ uri, rawHeaders }: ApiRequest): number =>
  rawHeaders.reduce((sum, { length }) => sum + length, uri.length)

const nobody: User = { name: '', groups: [] }

export function attributesOf(info: RequestInfo, request: ApiRequest, user: User): Attributes {
  if (!info.isResource) return { user, verb: info.verb, path: info.path }
  const { verb, group, version, namespace, plural, name, subresource } = info
  const isRead = verb === 'list' || verb === 'watch'
  const isMany = isRead || verb === 'deletecollection'
  const fieldSelector = request.query.get('fieldSelector') ?? undefined
  const labelSelector = request.query.get('labelSelector') ?? undefined
  return {
    user,
    verb,
    group,
    version,
    resource: plural,
    subresource,
    namespace,
    name: name === '' && isRead ? selectedName(fieldSelector) : name,
    ...(isMany && { fieldSelector, labelSelector }),
  }
}

/** Who may read one object by its name may also list and watch it by its name. */
function selectedName(fieldSelector: string | undefined): string {
  if (!fieldSelector?.includes('metadata.name')) return ''
  try {
    return exactField(parseFieldSelector(fieldSelector), 'metadata.name') ?? ''
  } catch {
    return ''
  }
}

function answerFailure(error: unknown, request: ApiRequest, log: Log): Answer {
  const failure = asApiFailure(error, request, log)
  try {
    const form = negotiate(headerOf(request, 'accept'), request.query, headerOf(request, 'user-agent') ?? '')
    return failureAnswer(failure, { ...form, as: 'object' })
  } catch {
    return failureAnswer(failure)
  }
}

function asApiFailure(error: unknown, { method, path }: ApiRequest, log: Log): ApiFailure {
  if (error instanceof ApiFailure) return error
  if (error instanceof ObjectTooLarge) return new ApiFailure(500, '', 'etcdserver: request is too large')
  if (error instanceof StorageFailure) {
    log.error({ err: error, method, path }, 'a write did not reach the disk')
    return error.isFull
      ? new ApiFailure(
          507,
          'InsufficientStorage',
          'the disk of the control plane is full; free some space and try again',
        )
      : internalError('the disk of the control plane did not take the write')
  }
  log.error({ err: error, method, path }, 'a request failed')
  return internalError('see the log of the control plane')
}
