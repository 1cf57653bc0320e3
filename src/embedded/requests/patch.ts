import { parseApplyPatch, parseJsonPatch, parseMergePatch } from '../kinds/decode/parse-patch.ts'
import { applyStrictnessToText, patchFailure } from '../kinds/decode/strictness.ts'
import { Undecodable } from '../kinds/decode/unfit.ts'
import type { ApiObject } from '../objects.ts'
import { serverSideApply } from '../patch/apply.ts'
import { applyJsonPatch, jsonPatchFlaws } from '../patch/json-patch.ts'
import { applyMergePatch } from '../patch/merge-patch.ts'
import { ApiFailure, conflict, notFound, unsupportedMediaType } from '../status.ts'
import type { ApiRequest } from './body.ts'
import { headerOf } from './body.ts'
import type { Call, WriteDeps } from './call.ts'
import { aboutOf } from './call.ts'
import type { Proposal } from './change.ts'
import { changeObject, createsMissing } from './change.ts'
import { createObject } from './create.ts'
import type { Sent } from './decode.ts'
import { checkName, decodeSent, knownIn, settleNamespace } from './decode.ts'
import { convertingOf, managingOf } from './managing.ts'
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
  const { options } = parameters
  const mayCreate = type === 'apply' && createsMissing(call)
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

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(fields.map(([key, field]) => [key, sorted(field)]))
}

function decodePatched(
  { registry }: WriteDeps,
  call: Call,
  sent: Sent,
  { fieldValidation }: WriteParameters,
): ApiObject {
  // Decoding changes what it reads, and the failure shows what was there.
  const text = JSON.stringify(sent.value)
  const decode = (value: Record<string, unknown>) =>
    decodeSent(call, { ...sent, value }, { validation: fieldValidation, isKnown: knownIn(registry) })
  const order = Object.keys(sent.value)
  try {
    return inOrder(decode(Object.fromEntries(order.toSorted().map((key) => [key, sent.value[key]]))), order)
  } catch (error) {
    throw patchFailure(
      firstSorted(() => decode(sorted(JSON.parse(text)) as typeof sent.value)) ?? error,
      JSON.parse(text),
    )
  }
}

/** What was read by the alphabet, for the order of its flaws, is kept as it was: who prints an object twice sees one order. */
function inOrder(object: ApiObject, order: readonly string[]): ApiObject {
  const fields = Object.entries(object).toSorted(([one], [other]) => order.indexOf(one) - order.indexOf(other))
  return Object.fromEntries(fields) as unknown as ApiObject
}

/** Of several flaws, the real server names the first in the order in which it writes a map. */
function firstSorted(decode: () => unknown): unknown {
  try {
    decode()
    return undefined
  } catch (error) {
    return error
  }
}

/** What was merged and cannot be an object of its kind is the server's failure, to the real one. */
function decodeApplied(
  { registry }: WriteDeps,
  call: Call,
  merged: ApiObject,
  sent: Pick<Sent, 'value' | 'bytes'>,
  { fieldValidation: validation }: WriteParameters,
): ApiObject {
  const { namespace = '', name = '' } = (sent.value as unknown as ApiObject).metadata ?? {}
  const { kind, version } = call.served
  const gvk = `${kind.group}/${version.name}, Kind=${kind.kind}`
  try {
    return decodeSent(call, { value: merged, flaws: [], bytes: sent.bytes }, { validation, isKnown: knownIn(registry) })
  } catch (error) {
    if (!(error instanceof Undecodable)) throw error
    const which = `failed to convert new object (${namespace}/${name}; ${gvk}) to proper version`
    throw new ApiFailure(
      500,
      '',
      `${which}: unable to convert unstructured object to ${gvk}: ${asConverted(error.why)}`,
    )
  }
}

/** The real server converts what it merged field by field, and only bytes by decoding. */
const asConverted = (why: string): string =>
  why.startsWith('illegal base64') ? `error decoding from json: ${why}` : why

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
      ...convertingOf(call),
    })
    const managed = object.metadata.managedFields
    const decoded = decodeApplied(deps, call, object, { value, bytes: body }, parameters)
    settleNamespace(decoded, call)
    if (call.subresource === '') decoded.metadata.name ||= call.name
    checkName(decoded, call)
    if (managed) decoded.metadata.managedFields = managed
    return { object: decoded, isApplied: true }
  }
}
