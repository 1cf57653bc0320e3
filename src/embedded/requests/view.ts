import { decodeTyped } from '../kinds/decode/decode-typed.ts'
import { parseApplyPatch } from '../kinds/decode/parse-patch.ts'
import { allFlaws, applyStrictness, applyStrictnessToText, patchFailure } from '../kinds/decode/strictness.ts'
import { Undecodable } from '../kinds/decode/unfit.ts'
import type { View } from '../kinds/kind.ts'
import type { ApiObject } from '../objects.ts'
import { serverSideApply } from '../patch/apply.ts'
import { checkPatchParameters } from '../patch/manager-name.ts'
import { managedByScale, managedInScale } from '../patch/scale-fields.ts'
import { ApiFailure, badRequest, conflict, invalid } from '../status.ts'
import type { ApiRequest } from './body.ts'
import { readSent } from './body.ts'
import type { Call, WriteDeps } from './call.ts'
import { aboutOf } from './call.ts'
import { changeObject, uidConflict } from './change.ts'
import type { Sent } from './decode.ts'
import { checkName, settleNamespace } from './decode.ts'
import { managingOf, track } from './managing.ts'
import type { WriteParameters } from './parameters.ts'
import { readWriteParameters } from './parameters.ts'
import { patcher, patchTypeOf } from './patch.ts'
import { strategicPatcher } from './strategic-patch.ts'

/** A write through a subresource that shows the object as another kind. Resolves to that kind again. */
export async function changeThroughView(
  deps: WriteDeps,
  request: ApiRequest,
  call: Call,
  view: View,
): Promise<ApiObject> {
  const isPut = request.method === 'PUT'
  const parameters = readWriteParameters(request.query, isPut ? 'UpdateOptions' : 'PatchOptions')
  const submit = await submitting(deps, request, call, view, parameters)
  const object = await changeObject(deps, call, {
    parameters,
    options: parameters.options,
    isPut: false,
    view,
    async propose(current) {
      const shown = shownWithOwners(view, current)
      const submitted = submit(structuredClone(shown), shown)
      settleNamespace(submitted, call)
      checkName(submitted, call)
      if (isPut) request.audit?.sent(submitted)
      checkSubmitted(call, view, submitted, current)
      const merged = view.merge(submitted, current)
      const { managedFields } = submitted.metadata
      const owners = managedByScale(
        current.metadata.managedFields,
        managedFields,
        view.replicasPaths,
        current.apiVersion,
      )
      const { managedFields: _, ...metadata } = merged.metadata
      const owned = { ...metadata, ...(owners.length > 0 && { managedFields: owners }) }
      return { object: { ...merged, metadata: owned }, isApplied: true }
    },
  })
  return view.show(object)
}

function shownWithOwners(view: View, current: ApiObject): ApiObject {
  const shown = view.show(current)
  const managedFields = managedInScale(current.metadata.managedFields, view.replicasPaths)
  return managedFields.length === 0 ? shown : { ...shown, metadata: { ...shown.metadata, managedFields } }
}

/** What is submitted, with its owners, by what is shown: a copy to change, and how it is. */
type Submit = (copy: ApiObject, shown: ApiObject) => ApiObject

async function submitting(
  { clock }: WriteDeps,
  request: ApiRequest,
  call: Call,
  view: View,
  parameters: WriteParameters,
): Promise<Submit> {
  const { schema, apiVersion } = view
  const tracked =
    (submit: (copy: ApiObject) => ApiObject): Submit =>
    (copy, shown) => {
      const next = submit(copy)
      track(call, { old: shown, next, parameters, now: clock.now() }, { schema, apiVersion })
      return next
    }
  if (request.method === 'PUT') {
    const sent = decodedPut(await readSent(request, view), call, view, parameters)
    return tracked(() => structuredClone(sent))
  }
  const type = patchTypeOf(request, call)
  const flaws = checkPatchParameters({ ...parameters, isApply: type === 'apply' })
  if (flaws.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'PatchOptions' }, '', flaws)
  const body = await request.readBody()
  return type === 'apply'
    ? applying(body, call, view, parameters, () => clock.now())
    : tracked(patching(type, body, call, view, parameters))
}

/** Checked before anybody looks whether there is such an object. */
function decodedPut(sent: Sent, call: Call, view: View, parameters: WriteParameters): ApiObject {
  try {
    const object = decodedBy(view, call, parameters)(sent)
    settleNamespace(object, call)
    checkName(object, call)
    return object
  } catch (error) {
    // So the real server fails to tell what is wrong with it.
    if (call.served.kind.custom && error instanceof Undecodable)
      throw badRequest('no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111"')
    throw error
  }
}

const typedBy =
  ({ schema, apiVersion, kind }: View) =>
  (value: Record<string, unknown>) =>
    decodeTyped(schema, { apiVersion, kind, ...value }, kind)

const decodedBy =
  (view: View, call: Call, { fieldValidation }: WriteParameters) =>
  ({ value, flaws }: Sent): ApiObject => {
    const { object, flaws: ofObject } = typedBy(view)(value)
    applyStrictness(allFlaws(flaws, ofObject, false), fieldValidation, call)
    return withoutZero(object)
  }

/** None at all is not written in a Scale, so that nobody owns it either. */
function withoutZero(object: ApiObject): ApiObject {
  const { spec } = object as { spec?: { replicas?: number } }
  if (spec?.replicas !== 0) return object
  const { replicas: _, ...rest } = spec
  return { ...object, spec: rest }
}

function patching(
  type: 'json' | 'merge' | 'strategic',
  body: Buffer,
  call: Call,
  view: View,
  parameters: WriteParameters,
): (shown: ApiObject) => ApiObject {
  if (type === 'strategic')
    return strategicPatcher(body, { schema: view.schema, decode: typedBy(view) }, parameters.fieldValidation, call)
  const patched = patcher(type, body)
  return (shown) => decodedPatch(patched(shown), decodedBy(view, call, parameters))
}

/** Decoding changes what it reads, and the failure shows what was there. */
function decodedPatch(sent: Sent, decoded: (sent: Sent) => ApiObject): ApiObject {
  const text = JSON.stringify(sent.value)
  try {
    return decoded(sent)
  } catch (error) {
    throw patchFailure(error, JSON.parse(text))
  }
}

function applying(body: Buffer, call: Call, view: View, parameters: WriteParameters, now: () => Date): Submit {
  const { value, flaws } = parseApplyPatch(body)
  applyStrictnessToText(flaws, parameters.fieldValidation, call)
  const { schema, apiVersion, kind } = view
  return (shown) => {
    if (call.served.kind.custom && !shown.metadata.managedFields) throw notConvertible('live', '/', view)
    const { object } = serverSideApply({
      live: shown,
      applied: structuredClone(value) as unknown as ApiObject,
      ...{ schema, apiVersion, kind },
      manager: parameters.fieldManager,
      force: parameters.force ?? false,
      now: now(),
      ...managingOf(call),
    })
    if (call.served.kind.custom) throw notConvertible('new', `${call.namespace}/${call.name}`, view)
    const { managedFields } = object.metadata
    const submitted = decodedPatch({ value: object, flaws: [], bytes: body }, decodedBy(view, call, parameters))
    return managedFields ? { ...submitted, metadata: { ...submitted.metadata, managedFields } } : submitted
  }
}

/** The real server cannot apply a Scale of a custom kind: it wants to make an object of that kind of it, and fails so. */
const notConvertible = (which: 'live' | 'new', place: string, { apiVersion, kind }: View): ApiFailure =>
  new ApiFailure(
    500,
    '',
    `${which === 'live' ? 'failed to create manager for existing fields: ' : ''}failed to convert ${which} object (${place}; ${apiVersion}, Kind=${kind}) to proper version: request to convert CR to an invalid group/version: ${apiVersion}`,
  )

function checkSubmitted(call: Call, view: View, submitted: ApiObject, current: ApiObject): void {
  const { resourceVersion = '', uid } = submitted.metadata
  const errors = view.check?.(submitted) ?? []
  if (errors.length > 0)
    throw invalid({ group: view.apiVersion.split('/')[0] ?? '', kind: view.kind }, call.name, errors)
  if (uid && uid !== current.metadata.uid) throw uidConflict(call, uid, current, false)
  if (resourceVersion !== '' && resourceVersion !== current.metadata.resourceVersion)
    throw conflict(aboutOf(call), call.name)
}
