import type { Admitted } from '../admission/admission.ts'
import { decodeTyped } from '../kinds/decode/decode-typed.ts'
import { allFlaws, applyStrictness } from '../kinds/decode/strictness.ts'
import type { Action } from '../kinds/kind.ts'
import type { ApiObject } from '../objects.ts'
import { notFound } from '../status.ts'
import type { ApiRequest } from './body.ts'
import { readSent } from './body.ts'
import type { Call, WriteDeps } from './call.ts'
import { aboutOf, contextOf } from './call.ts'
import { dropServersOwn } from './create.ts'
import { settleNamespace } from './decode.ts'
import { track } from './managing.ts'
import type { WriteParameters } from './parameters.ts'
import { readWriteParameters } from './parameters.ts'
import { objectOf } from './representation.ts'

/** Questions are admitted like objects, and kept by nobody. */
export async function answerReview(
  deps: WriteDeps,
  call: Call,
  sent: ApiObject,
  parameters: WriteParameters,
): Promise<ApiObject> {
  settleNamespace(sent, call)
  dropServersOwn(sent)
  const context = contextOf(call, deps.clock, parameters.dryRun)
  track(call, { old: undefined, next: sent, parameters, now: context.now })
  const write: Admitted = { ...admittedBy(call, parameters), name: sent.metadata.name ?? '', object: sent }
  const object = (await deps.admission.mutate(write)) ?? sent
  await deps.admission.validate({ ...write, object })
  return (await call.served.kind.answer?.(object, context)) ?? object
}

/** What comes of asking an object with one of another kind. */
export async function performAction(
  deps: WriteDeps,
  request: ApiRequest,
  call: Call,
  { act: perform, schema, kind, apiVersion, defaults }: Action,
): Promise<ApiObject> {
  const parameters = readWriteParameters(request.query, 'CreateOptions')
  const { value, flaws } = await readSent(request, { kind, apiVersion })
  const decoded = decodeTyped(schema, { apiVersion, kind, ...value }, kind)
  applyStrictness(allFlaws(flaws, decoded.flaws, false), parameters.fieldValidation, call)
  const parent = await parentOf(deps, call)
  const context = contextOf(call, deps.clock, parameters.dryRun)
  defaults?.(decoded.object)
  track(call, { old: undefined, next: decoded.object, parameters, now: context.now }, { schema, apiVersion })
  const write: Admitted = { ...admittedBy(call, parameters), object: decoded.object }
  const object = (await deps.admission.mutate(write)) ?? decoded.object
  await deps.admission.validate({ ...write, object })
  return perform(object, parent, context)
}

const admittedBy = (call: Call, { dryRun, options }: WriteParameters) => ({
  operation: 'CREATE' as const,
  served: call.served,
  subresource: call.subresource,
  namespace: call.namespace,
  name: call.name,
  old: undefined,
  user: call.user,
  dryRun,
  options,
  warn: call.warn,
})

/** The object that a subresource is behind. */
export async function parentOf(deps: WriteDeps, call: Call): Promise<ApiObject> {
  const entry = deps.store.get(call.served.kind.storage, call.namespace, call.name)
  if (!entry) throw notFound(aboutOf(call), call.name)
  return objectOf(entry, call.served)
}
