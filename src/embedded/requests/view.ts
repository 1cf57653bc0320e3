import { decodeTyped } from '../kinds/decode/decode-typed.ts'
import { allFlaws, applyStrictness, patchFailure } from '../kinds/decode/strictness.ts'
import type { View } from '../kinds/kind.ts'
import type { ApiObject } from '../objects.ts'
import { conflict, invalid, unsupportedMediaType } from '../status.ts'
import type { ApiRequest } from './body.ts'
import { readSent } from './body.ts'
import type { Call, WriteDeps } from './call.ts'
import { aboutOf } from './call.ts'
import { changeObject } from './change.ts'
import type { Sent } from './decode.ts'
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
  const submit = await submitting(request, call, view, parameters)
  const object = await changeObject(deps, call, {
    parameters,
    options: parameters.options,
    isPut: false,
    view,
    async propose(current) {
      const submitted = submit(view.show(current))
      if (isPut) request.audit?.sent(submitted)
      checkSubmitted(call, view, submitted, current)
      return { object: view.merge(submitted, current), isApplied: false }
    },
  })
  return view.show(object)
}

/** What is submitted, by what is shown. */
type Submit = (shown: ApiObject) => ApiObject

async function submitting(
  request: ApiRequest,
  call: Call,
  view: View,
  { fieldValidation }: WriteParameters,
): Promise<Submit> {
  const { schema, apiVersion, kind } = view
  const decode = (value: Record<string, unknown>) => decodeTyped(schema, { apiVersion, kind, ...value }, kind)
  const decoded = ({ value, flaws }: Sent): ApiObject => {
    const { object, flaws: ofObject } = decode(value)
    applyStrictness(allFlaws(flaws, ofObject, false), fieldValidation, call)
    return object
  }
  if (request.method === 'PUT') {
    const sent = await readSent(request, view)
    return () => decoded(sent)
  }
  const type = patchTypeOf(request, call)
  if (type === 'apply') throw unsupportedMediaType('server-side apply of this subresource is not served')
  const body = await request.readBody()
  if (type === 'strategic') return strategicPatcher(body, { schema, decode }, fieldValidation, call)
  const patched = patcher(type, body)
  return (shown) => {
    const sent = patched(shown)
    const text = JSON.stringify(sent.value)
    try {
      return decoded(sent)
    } catch (error) {
      throw patchFailure(error, JSON.parse(text))
    }
  }
}

function checkSubmitted(call: Call, view: View, submitted: ApiObject, current: ApiObject): void {
  const { resourceVersion = '' } = submitted.metadata
  if (resourceVersion !== '' && resourceVersion !== current.metadata.resourceVersion)
    throw conflict(aboutOf(call), call.name)
  const errors = view.check?.(submitted) ?? []
  if (errors.length > 0)
    throw invalid({ group: view.apiVersion.split('/')[0] ?? '', kind: view.kind }, call.name, errors)
}
