import { allFlaws, applyStrictness } from '../kinds/decode/strictness.ts'
import type { Served } from '../kinds/registry.ts'
import type { ApiObject } from '../objects.ts'
import { badRequest } from '../status.ts'
import type { Call } from './call.ts'
import type { WriteParameters } from './parameters.ts'

/** A body that was read, and what strict validation holds against its text. */
export interface Sent {
  readonly value: Record<string, unknown>
  readonly flaws: readonly string[]
}

/** The object that a client sent, in the version it asked in. Its name and namespace agree with the request. */
export function decodeSent(call: Call, sent: Sent, validation: WriteParameters['fieldValidation']): ApiObject {
  const { kind, version } = call.served
  const { object, flaws } = kind.decode(withTypeOf(sent.value, call), version)
  applyStrictness(allFlaws(sent.flaws, flaws, kind.custom), validation, call)
  return object
}

/** With the two fields that say what it is; a built-in kind does not insist on them. */
function withTypeOf(value: Record<string, unknown>, { served }: Call): Record<string, unknown> {
  const { kind, apiVersion } = served
  const given = { kind: value['kind'] || undefined, apiVersion: value['apiVersion'] || undefined }
  if (kind.custom) {
    const text = () => JSON.stringify(value)
    if (given.kind === undefined) throw badRequest(`Object 'Kind' is missing in '${text()}'`)
    if (given.apiVersion === undefined) throw badRequest(`Object 'apiVersion' is missing in '${text()}'`)
  }
  const sentAs = { kind: given.kind ?? kind.kind, apiVersion: given.apiVersion ?? apiVersion }
  if (sentAs.kind !== kind.kind || sentAs.apiVersion !== apiVersion) throw wrongType(sentAs, served)
  return { ...value, ...sentAs }
}

function wrongType(sentAs: { kind: unknown; apiVersion: unknown }, { kind, apiVersion }: Served): Error {
  const version = String(sentAs.apiVersion).split('/').at(-1)
  if (kind.custom)
    return badRequest(
      sentAs.apiVersion === apiVersion || sentAs.kind !== kind.kind
        ? `the object provided is unrecognized (must be of type ${kind.kind}): ${sentAs.kind}`
        : `the API version in the data (${sentAs.apiVersion}) does not match the expected API version (${apiVersion})`,
    )
  return badRequest(
    `${sentAs.kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind.kind}: no kind ${JSON.stringify(sentAs.kind)} is registered for version ${JSON.stringify(sentAs.apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
  )
}

/** Puts the request's namespace into an object that names none, and refuses one that names another. */
export function settleNamespace(object: ApiObject, { served, namespace }: Call): void {
  if (!served.kind.namespaced) {
    delete object.metadata.namespace
    return
  }
  if (object.metadata.namespace && object.metadata.namespace !== namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
  object.metadata.namespace = namespace
}

export function checkName({ metadata }: ApiObject, { name }: Call): void {
  if (!metadata.name)
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`)
  if (metadata.name !== name)
    throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${name})`)
}
