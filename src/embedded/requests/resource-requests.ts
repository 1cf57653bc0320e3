import type { Log } from '../../core/log.ts'
import type { User } from '../authentication/user.ts'
import type { View } from '../kinds/kind.ts'
import type { Served } from '../kinds/registry.ts'
import { subresourcesOf } from '../kinds/registry.ts'
import type { ApiObject } from '../objects.ts'
import { checkPatchParameters } from '../patch/manager-name.ts'
import { selectionOf } from '../select/matcher.ts'
import {
  ApiFailure,
  badRequest,
  internalError,
  methodNotAllowed,
  noSuchPath,
  notAcceptable,
  notFound,
} from '../status.ts'
import type { FanOut } from '../watch/fan-out.ts'
import { openWatch } from '../watch/watch.ts'
import type { Answer } from './answer.ts'
import { objectAnswer, pageNotFound, textAnswer } from './answer.ts'
import type { ApiRequest } from './body.ts'
import { headerOf, readDeleteOptions, readSent } from './body.ts'
import type { Call, WriteDeps } from './call.ts'
import { aboutOf } from './call.ts'
import { changeObject, createsMissing, uidConflict } from './change.ts'
import { createObject } from './create.ts'
import { checkName, decodeSent, knownIn, settleNamespace } from './decode.ts'
import type { DeleteOptions } from './delete.ts'
import { deleteObject, goneStatus } from './delete.ts'
import { isNoList, listText, objectText } from './forms.ts'
import type { LastLine } from './frames.ts'
import { frameWriter } from './frames.ts'
import { listEntries, listMeta, untilRevision } from './list.ts'
import type { Form } from './negotiate.ts'
import { checkRoute, negotiate } from './negotiate.ts'
import type { WriteParameters } from './parameters.ts'
import { readGetVersion, readListParameters, readWriteParameters } from './parameters.ts'
import { patchObject, patchTypeOf } from './patch.ts'
import { answerReview, parentOf, performAction } from './questions.ts'
import { dropRepeatedOwners } from './repeated-owners.ts'
import { textOf, textsOf } from './representation.ts'
import type { ResourceInfo } from './request-info.ts'
import { upsert } from './upsert.ts'
import { changeThroughView } from './view.ts'

export interface ResourceDeps extends WriteDeps {
  log: Log
  fanOut: FanOut
  lastLine: LastLine
}

/** A request about objects, by somebody who may make it. */
export async function answerResource(
  deps: ResourceDeps,
  request: ApiRequest,
  info: ResourceInfo,
  user: User,
  warn: (message: string) => void,
): Promise<Answer> {
  const served = deps.registry.find(info.group, info.version, info.plural)
  if (!served) return unknownResource(deps, info)
  if (request.method === 'HEAD') throw methodNotAllowed()
  const userAgent = headerOf(request, 'user-agent') ?? ''
  const { namespaced } = served.kind
  // A namespace's own name stands where the namespace of others does.
  const namespace = namespaced ? info.namespace : ''
  const call: Call = { served, subresource: info.subresource, namespace, name: info.name, user, userAgent, warn }
  checkPlace(info)
  // Who updates is first told that the object has another name.
  if (info.verb !== 'update') checkStorable(info.name)
  if (info.hasMore || (!namespaced && info.isWithin)) throw noSuchPath()
  const accept = headerOf(request, 'accept')
  if (!served.kind.custom) {
    // The router looks at the type of a patch, and at nothing else that is sent.
    if (info.verb === 'patch') patchTypeOf(request, call)
    checkRoute(accept, info.verb === 'list' || info.verb === 'watch')
  }
  if (served.version.deprecation) {
    warn(served.version.deprecation)
    request.audit?.deprecated()
  }
  const form = negotiate(accept, request.query, userAgent, isTabled(call))
  if (info.subresource !== '') return subresourceRequest(deps, request, info, call, form)
  if (!(served.kind.verbs as readonly string[]).includes(info.verb)) throw methodNotAllowed()
  switch (info.verb) {
    case 'get':
      return getOne(deps, request, call, form)
    case 'list':
      return list(deps, request, call, form)
    case 'watch':
      return watch(deps, request, call, form)
    case 'create':
      return create(deps, request, info, call, form)
    case 'update':
      return update(deps, request, call, form)
    case 'patch':
      return patch(deps, request, call, form)
    case 'delete':
      return remove(deps, request, call, form)
    case 'deletecollection':
      return removeAll(deps, request, call, form)
    default:
      throw methodNotAllowed()
  }
}

function isTabled({ served, subresource }: Call): boolean {
  const part = subresource === '' ? undefined : subresourcesOf(served)[subresource]
  return part?.type !== 'part' || part.isTabled !== false
}

/** Names that would lead somewhere else in a tree of folders, which the real server's storage is. */
function checkPlace({ name, namespace, plural }: ResourceInfo): void {
  const isDots = (text: string) => text === '.' || text === '..'
  if (isDots(name)) throw badRequest(`Name parameter invalid: ${JSON.stringify(name)}: may not be '${name}'`)
  if (isDots(namespace)) throw new ApiFailure(500, '', `invalid key: ${JSON.stringify(`/${plural}/${namespace}`)}`)
}

function checkStorable(name: string): void {
  if (name.includes('%')) throw badRequest(`Name parameter invalid: ${JSON.stringify(name)}: may not contain '%'`)
}

/** A group that nothing is served under is no place at all; in one that is, only this resource is missing. */
function unknownResource({ registry }: ResourceDeps, { group }: ResourceInfo): Answer {
  if (group === '' || registry.all().some((kind) => kind.group === group)) throw noSuchPath()
  return pageNotFound()
}

async function getOne(deps: ResourceDeps, { query }: ApiRequest, call: Call, form: Form): Promise<Answer> {
  const { rules } = call.served.kind
  await untilRevision(deps, readGetVersion(query, rules), rules)
  const entry = deps.store.get(call.served.kind.storage, call.namespace, call.name)
  if (!entry) throw notFound(aboutOf(call), call.name)
  return textAnswer(200, objectText(await textOf(entry, call.served), call.served, form, deps.clock.now()), form)
}

async function list(deps: ResourceDeps, { query }: ApiRequest, call: Call, form: Form): Promise<Answer> {
  const parameters = readListParameters(query, false, selectableIn(call))
  const listed = await listEntries(deps, call.served, call.namespace, parameters)
  const texts = await textsOf(listed.entries, call.served)
  return textAnswer(
    200,
    listText(texts, call.served, form, listMeta(listed, call.served, form), deps.clock.now()),
    form,
  )
}

const selectableIn =
  ({ served }: Call) =>
  (fieldSelector: string) =>
    void selectionOf(served, { fieldSelector })

async function watch(deps: ResourceDeps, { query }: ApiRequest, call: Call, form: Form): Promise<Answer> {
  const parameters = readListParameters(query, true, selectableIn(call))
  // `/watch/` in the path, with a name, is a watch of that one object.
  const named = call.name === '' ? parameters : { ...parameters, fieldSelector: `metadata.name=${call.name}` }
  // Once the answer has begun, nobody could be told what is wrong with a selector.
  const selection = selectionOf(call.served, named)
  if (form.media !== 'application/json')
    throw notAcceptable('only the following media types are accepted: application/json;stream=watch')
  if (parameters.sendInitialEvents && parameters.resourceVersion)
    await untilRevision(deps, parameters.resourceVersion, call.served.kind.rules)
  const request = { served: call.served, namespace: call.namespace, selection, parameters }
  return {
    contentType: 'application/json',
    writeFrame: frameWriter(call.served, form, deps.clock, deps.lastLine),
    open: (sink) => openWatch(deps, request, sink),
  }
}

const shown = (deps: ResourceDeps, code: number, object: ApiObject, served: Served, form: Form): Answer =>
  form.as === 'object'
    ? objectAnswer(code, object, form)
    : textAnswer(code, objectText(JSON.stringify(object), served, form, deps.clock.now()), form)

const expectedOf = ({ served: { kind, apiVersion } }: Call) => ({ kind: kind.kind, apiVersion, custom: kind.custom })

async function create(
  deps: ResourceDeps,
  request: ApiRequest,
  info: ResourceInfo,
  call: Call,
  form: Form,
): Promise<Answer> {
  const { kind } = call.served
  if (info.name !== '' || (kind.namespaced && call.namespace === '')) throw methodNotAllowed()
  const parameters = readWriteParameters(request.query, 'CreateOptions')
  const sent = decodeSent(call, await readSent(request, expectedOf(call)), decoding(deps, parameters))
  request.audit?.sent(sent, kind.rules)
  if (kind.answer) return objectAnswer(201, await answerReview(deps, call, sent, parameters), form)
  const { options } = parameters
  return shown(deps, 201, await createObject(deps, call, sent, { parameters, options }), call.served, form)
}

const decoding = ({ registry }: ResourceDeps, { fieldValidation: validation }: WriteParameters) => ({
  validation,
  isKnown: knownIn(registry),
})

async function update(deps: ResourceDeps, request: ApiRequest, call: Call, form: Form): Promise<Answer> {
  const { kind } = call.served
  if (call.name === '') throw methodNotAllowed()
  const parameters = readWriteParameters(request.query, 'UpdateOptions')
  const sent = decodeSent(call, await readSent(request, expectedOf(call)), decoding(deps, parameters))
  request.audit?.sent(sent, kind.rules)
  settleNamespace(sent, call)
  checkName(sent, call)
  checkStorable(call.name)
  dropRepeatedOwners(sent, call.warn, 'sent')
  const { options } = parameters
  const propose = async () => ({ object: structuredClone(sent), isApplied: false })
  const change = () => changeObject(deps, call, { parameters, options, isPut: true, propose })
  if (!kind.rules.createsOnUpdate || !createsMissing(call)) return shown(deps, 200, await change(), call.served, form)
  const create = async () => {
    const { uid } = sent.metadata
    if (uid) throw uidConflict(call, uid, undefined, parameters.dryRun)
    const { resourceVersion: _, ...metadata } = sent.metadata
    return createObject(deps, call, structuredClone({ ...sent, metadata }), { parameters, options })
  }
  const { object, isNew } = await upsert(deps, call, { create, change })
  return shown(deps, isNew ? 201 : 200, object, call.served, form)
}

async function patch(deps: ResourceDeps, request: ApiRequest, call: Call, form: Form): Promise<Answer> {
  if (call.name === '') throw methodNotAllowed()
  const type = patchTypeOf(request, call)
  const parameters = readWriteParameters(request.query, 'PatchOptions', (given) =>
    checkPatchParameters({ ...given, isApply: type === 'apply' }),
  )
  const { object, isNew } = await patchObject(deps, call, type, await request.readBody(), parameters)
  return shown(deps, isNew ? 201 : 200, object, call.served, form)
}

async function remove(deps: ResourceDeps, request: ApiRequest, call: Call, form: Form): Promise<Answer> {
  const options = await readDeleteOptions(request)
  const { isGone, object } = await deleteObject(deps, call, options)
  if (isGone && !call.served.kind.rules.answersDeleted) return objectAnswer(200, goneStatus(call, object), form)
  const isAccepted = !isGone && options.orphanDependents === false
  return shown(deps, isAccepted ? 202 : 200, object, call.served, form)
}

/** Each on its own, as the real one: what goes in between is no failure. The answer is what was there before. */
async function removeAll(deps: ResourceDeps, request: ApiRequest, call: Call, form: Form): Promise<Answer> {
  const { kind } = call.served
  if (kind.namespaced && call.namespace === '') throw methodNotAllowed()
  const parameters = readListParameters(request.query, false, selectableIn(call))
  const options = await readDeleteOptions(request)
  const listed = await listEntries(deps, call.served, call.namespace, parameters)
  const texts = await textsOf(listed.entries, call.served)
  const removeOne = ({ name }: { name: string }) => removeIfThere(deps, { ...call, name }, options)
  // One that is not what was meant keeps those behind it.
  if (options.preconditions) for (const entry of listed.entries) await removeOne(entry)
  else await Promise.all(listed.entries.map(removeOne))
  return textAnswer(
    200,
    listText(texts, call.served, form, listMeta(listed, call.served, form), deps.clock.now()),
    form,
  )
}

async function removeIfThere(deps: ResourceDeps, call: Call, options: DeleteOptions): Promise<void> {
  try {
    await deleteObject(deps, call, options, true)
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.reason !== 'NotFound') throw error
  }
}

async function subresourceRequest(
  deps: ResourceDeps,
  request: ApiRequest,
  info: ResourceInfo,
  call: Call,
  form: Form,
): Promise<Answer> {
  const subresources = subresourcesOf(call.served)
  const found = Object.hasOwn(subresources, call.subresource) ? subresources[call.subresource] : undefined
  if (!found) throw call.served.kind.custom ? notFound(aboutOf(call), call.name) : noSuchPath()
  if (found.type === 'action') {
    if (info.verb !== 'create') throw methodNotAllowed()
    return objectAnswer(201, await performAction(deps, request, call, found), form)
  }
  if (!(found.verbs as readonly string[]).includes(info.verb)) throw methodNotAllowed()
  if (found.type === 'view') {
    const shown =
      info.verb === 'get'
        ? shownBy(found, await parentOf(deps, call))
        : await changeThroughView(deps, request, call, found)
    if (form.as === 'PartialObjectMetadataList') throw isNoList(`*v1.${found.kind}`)
    const version = { ...call.served.version, columns: found.columns }
    return textAnswer(200, objectText(JSON.stringify(shown), { ...call.served, version }, form, deps.clock.now()), form)
  }
  if (info.verb === 'get') return getOne(deps, request, call, form)
  return info.verb === 'update' ? update(deps, request, call, form) : patch(deps, request, call, form)
}

function shownBy(view: View, parent: ApiObject): ApiObject {
  const why = view.whyHidden?.(parent)
  if (why !== undefined) throw internalError(why)
  return view.show(parent)
}
