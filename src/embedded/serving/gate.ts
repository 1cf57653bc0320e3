import type { Log } from '../../core/log.ts'
import type { Impersonate } from '../authentication/impersonation.ts'
import type { Authenticator, Presented, User } from '../authentication/user.ts'
import type { Notes } from '../authentication/verdict.ts'
import type { Attributes, Authorizer } from '../authorization/attributes.ts'
import { forbiddenBy } from '../authorization/forbidden.ts'
import type { Answer } from '../requests/answer.ts'
import { failureAnswer } from '../requests/answer.ts'
import type { ApiRequest } from '../requests/body.ts'
import { headerOf } from '../requests/body.ts'
import { negotiate } from '../requests/negotiate.ts'
import type { RequestInfo } from '../requests/request-info.ts'
import { readRequestInfo } from '../requests/request-info.ts'
import { exactField, parseFieldSelector } from '../select/field-selector.ts'
import { ApiFailure, internalError } from '../status.ts'
import { StorageFailure } from '../storage/store.ts'
import type { Load } from './load.ts'
import { Warnings } from './warnings.ts'

export interface GateDeps {
  authenticator: Authenticator
  authorizer: Authorizer
  impersonate: Impersonate
  log: Log
  load: Load
  /** What is behind the gate. */
  route(request: ApiRequest, info: RequestInfo, user: User, warn: (message: string) => void): Promise<Answer>
}

export interface Gated {
  readonly answer: Answer
  readonly warnings: readonly string[]
  readonly info: RequestInfo
}

/** Who asks, whether they may, and then the answer. Never throws. */
export async function throughGate(deps: GateDeps, request: ApiRequest, presented: Presented): Promise<Gated> {
  const info = readRequestInfo(request.method, request.path, request.query)
  const { audit } = request
  const warnings = new Warnings()
  const warn = (message: string): void => warnings.add(message)
  try {
    let annotations: Notes['annotations'] = {}
    const authenticated = await deps.authenticator.authenticate(presented, request.path, (notes) => {
      annotations = notes.annotations
      if (notes.warning !== undefined) warn(notes.warning)
    })
    const own = attributesOf(info, request, authenticated)
    audit?.received(own, annotations)
    const user = await deps.impersonate(own, request.rawHeaders, audit)
    if (user !== authenticated) audit?.impersonates(user)
    const attributes = user === authenticated ? own : { ...own, user }
    const decision = await deps.authorizer.authorize(attributes)
    audit?.decided(decision)
    if (decision.verdict !== 'allow') throw forbiddenBy(attributes, decision, request.uri)
    if (info.isResource) deps.load.admit(user)
    const answer = await deps.route(request, info, user, warn)
    return { answer, warnings: warnings.list(), info }
  } catch (error) {
    audit?.failed(error, attributesOf(info, request, nobody))
    return { answer: answerFailure(error, request, deps.log), warnings: warnings.list(), info }
  }
}

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
