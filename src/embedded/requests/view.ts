import { decodeTyped } from '../kinds/decode/decode-typed.ts'
import { allFlaws, applyStrictness } from '../kinds/decode/strictness.ts'
import type { View } from '../kinds/kind.ts'
import type { ApiObject } from '../objects.ts'
import { conflict, invalid, unsupportedMediaType } from '../status.ts'
import type { ApiRequest } from './body.ts'
import { readSent } from './body.ts'
import type { Call, WriteDeps } from './call.ts'
import { aboutOf } from './call.ts'
import { changeObject } from './change.ts'
import type { Sent } from './decode.ts'
import { readWriteParameters } from './parameters.ts'
import { patcher, patchTypeOf } from './patch.ts'

/** A write through a subresource that shows the object as another kind. Resolves to that kind again. */
export async function changeThroughView(
  deps: WriteDeps,
  request: ApiRequest,
  call: Call,
  view: View,
): Promise<ApiObject> {
  const isPut = request.method === 'PUT'
  const parameters = readWriteParameters(request.query, isPut ? 'UpdateOptions' : 'PatchOptions')
  const submit = isPut ? putting(await readSent(request, view)) : await patching(request)
  const object = await changeObject(deps, call, {
    parameters,
    options: parameters.options,
    isPut: false,
    view,
    async propose(current) {
      const { value, flaws } = submit(view.show(current))
      const decoded = decodeTyped(view.schema, { apiVersion: view.apiVersion, kind: view.kind, ...value }, view.kind)
      applyStrictness(allFlaws(flaws, decoded.flaws, false), parameters.fieldValidation, call)
      if (isPut) request.audit?.sent(decoded.object)
      checkSubmitted(call, view, decoded.object, current)
      return { object: view.merge(decoded.object, current), isApplied: false }
    },
  })
  return view.show(object)
}

type Submit = (shown: ApiObject) => Sent

const putting =
  (sent: Sent): Submit =>
  () =>
    sent

async function patching(request: ApiRequest): Promise<Submit> {
  const type = patchTypeOf(request)
  if (type === 'apply') throw unsupportedMediaType('server-side apply of this subresource is not served')
  return patcher(type, await request.readBody())
}

function checkSubmitted(call: Call, view: View, submitted: ApiObject, current: ApiObject): void {
  const { resourceVersion = '' } = submitted.metadata
  if (resourceVersion !== '' && resourceVersion !== current.metadata.resourceVersion)
    throw conflict(aboutOf(call), call.name)
  const errors = view.check?.(submitted) ?? []
  if (errors.length > 0)
    throw invalid({ group: view.apiVersion.split('/')[0] ?? '', kind: view.kind }, call.name, errors)
}
