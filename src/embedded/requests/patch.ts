import { parseApplyPatch, parseJsonPatch, parseMergePatch } from '../kinds/decode/parse-patch.ts'
import { applyStrictnessToText, patchFailure } from '../kinds/decode/strictness.ts'
import type { ApiObject } from '../objects.ts'
import { serverSideApply } from '../patch/apply.ts'
import { applyJsonPatch, jsonPatchFlaws } from '../patch/json-patch.ts'
import { checkPatchParameters } from '../patch/manager-name.ts'
import { applyMergePatch } from '../patch/merge-patch.ts'
import { ApiFailure, conflict, invalid, notFound, unsupportedMediaType } from '../status.ts'
import type { ApiRequest } from './body.ts'
import { headerOf } from './body.ts'
import type { Call, WriteDeps } from './call.ts'
import { aboutOf } from './call.ts'
import type { Proposal } from './change.ts'
import { changeObject } from './change.ts'
import { createObject } from './create.ts'
import type { Sent } from './decode.ts'
import { checkName, decodeSent, knownIn, settleNamespace } from './decode.ts'
import { managingOf } from './managing.ts'
import type { WriteParameters } from './parameters.ts'
import { strategicPatcher } from './strategic-patch.ts'
import type { Upserted } from './upsert.ts'
import { upsert } from './upsert.ts'

type PatchType = 'json' | 'merge' | 'strategic' | 'apply'

const types: ReadonlyMap<string, PatchType> = new Map([
  ['application/json-patch+json', 'json'],
  ['application/merge-patch+json', 'merge'],
  ['application/strategic-merge-patch+json', 'strategic'],
  ['application/apply-patch+yaml', 'apply'],
])

export function patchTypeOf(request: ApiRequest, { served }: Call): PatchType {
  const media = (headerOf(request, 'content-type') ?? '').split(';')[0]?.trim() ?? ''
  const type = types.get(media)
  const { custom } = served.kind
  if (custom && (!type || type === 'strategic')) throw unsupportedMediaType(`${unknownFormat}${customTypes}`)
  if (!type) throw new ApiFailure(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {})
  return type
}

const unknownFormat = 'the body of the request was in an unknown format - accepted media types include: '
const customTypes = 'application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml'

export async function patchObject(
  deps: WriteDeps,
  call: Call,
  type: PatchType,
  body: Buffer,
  parameters: WriteParameters,
): Promise<Upserted> {
  const flaws = checkPatchParameters({ ...parameters, isApply: type === 'apply' })
  if (flaws.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'PatchOptions' }, '', flaws)
  const { options } = parameters
  const mayCreate = type === 'apply' && call.subresource === ''
  if (!mayCreate && !deps.store.get(call.served.kind.storage, call.namespace, call.name))
    throw notFound(aboutOf(call), call.name)
  const propose =
    type === 'apply' ? applying(deps, call, body, parameters) : patching(deps, call, type, body, parameters)
  const change = () => changeObject(deps, call, { parameters, options, isPut: false, propose })
  if (!mayCreate) return { object: await change(), isNew: false }
  return upsert(deps, call, {
    change,
    async create() {
      const { object } = await propose(undefined)
      const { uid } = object.metadata
      if (uid) throw conflict(aboutOf(call), call.name, uidMismatch(uid))
      return createObject(deps, call, object, { parameters, options, isApplied: true })
    },
  })
}

/** Whoever names a uid means an object that exists. */
const uidMismatch = (uid: string) =>
  `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`

type Propose = (current: ApiObject | undefined) => Promise<Proposal>

/** A document as a JSON patch or a merge patch leaves it. The document may be changed on the way. */
export function patcher(type: 'json' | 'merge', body: Buffer): (document: ApiObject) => Sent {
  const { value: patch, flaws } = type === 'json' ? parseJsonPatch(body) : parseMergePatch(body)
  const all = type === 'json' ? [...flaws, ...jsonPatchFlaws(patch)] : flaws
  return (document) => ({
    value: type === 'json' ? applyJsonPatch(document, patch) : applyMergePatch(document, patch),
    flaws: all,
    bytes: body,
  })
}

function patching(
  deps: WriteDeps,
  call: Call,
  type: Exclude<PatchType, 'apply'>,
  body: Buffer,
  parameters: WriteParameters,
): Propose {
  const patched =
    type === 'strategic' ? patchingStrategically(call, body, parameters) : decoding(deps, call, type, body, parameters)
  return async (current) => {
    const object = patched(current as ApiObject)
    settleNamespace(object, call)
    checkName(object, call)
    return { object, isApplied: false }
  }
}

type Patch = (document: ApiObject) => ApiObject

function decoding(
  deps: WriteDeps,
  call: Call,
  type: 'json' | 'merge',
  body: Buffer,
  parameters: WriteParameters,
): Patch {
  const patched = patcher(type, body)
  return (document) => decodePatched(deps, call, patched(document), parameters)
}

/** Whatever kind such a patch names, it is that of the request. */
function patchingStrategically(call: Call, body: Buffer, { fieldValidation }: WriteParameters): Patch {
  const { kind, version, apiVersion } = call.served
  const decode = (value: Record<string, unknown>) => kind.decode(value, version)
  const patched = strategicPatcher(body, { schema: version.schema, decode }, fieldValidation, call)
  return (document) => Object.assign(patched(document), { apiVersion, kind: kind.kind })
}

function decodePatched(
  { registry }: WriteDeps,
  call: Call,
  sent: Sent,
  { fieldValidation }: WriteParameters,
): ApiObject {
  // Decoding changes what it reads, and the failure shows what was there.
  const text = JSON.stringify(sent.value)
  try {
    return decodeSent(call, sent, { validation: fieldValidation, isKnown: knownIn(registry) })
  } catch (error) {
    throw patchFailure(error, JSON.parse(text))
  }
}

function applying(deps: WriteDeps, call: Call, body: Buffer, parameters: WriteParameters): Propose {
  const { value, flaws } = parseApplyPatch(body)
  applyStrictnessToText(flaws, parameters.fieldValidation, call)
  return async (live) => {
    const applied = structuredClone(value) as unknown as ApiObject
    const { object } = serverSideApply({
      live,
      applied,
      schema: call.served.version.schema,
      manager: parameters.fieldManager,
      force: parameters.force ?? false,
      now: deps.clock.now(),
      apiVersion: call.served.apiVersion,
      kind: call.served.kind.kind,
      ...managingOf(call),
    })
    const managed = object.metadata.managedFields
    const decoded = decodePatched(deps, call, { value: object, flaws: [], bytes: body }, parameters)
    settleNamespace(decoded, call)
    decoded.metadata.name ||= call.name
    checkName(decoded, call)
    if (managed) decoded.metadata.managedFields = managed
    return { object: decoded, isApplied: true }
  }
}
