import { isObject } from '../../core/schema/schema.ts'
import { settleIdentity } from '../kinds/decode/identity.ts'
import { allFlaws, applyStrictness } from '../kinds/decode/strictness.ts'
import type { Registry } from '../kinds/registry.ts'
import type { ApiObject } from '../objects.ts'
import { badRequest } from '../status.ts'
import type { Call } from './call.ts'
import type { WriteParameters } from './parameters.ts'

/** A body that was read, and what strict validation holds against its text. */
export interface Sent {
  readonly value: Record<string, unknown>
  readonly flaws: readonly string[]
  /** As it was sent, for messages. */
  readonly bytes: Uint8Array
}

/** The object that a client sent, in the version it asked in. Its name and namespace agree with the request. */
export function decodeSent(
  call: Call,
  sent: Sent,
  { validation, isKnown }: { validation: WriteParameters['fieldValidation']; isKnown: IsKnown },
): ApiObject {
  const { kind, version, apiVersion } = call.served
  settleIdentity(sent.value, { apiVersion, kind: kind.kind, custom: kind.custom }, isKnown, sent.bytes)
  const clears = clearsManagers(sent.value)
  const { object, flaws } = kind.decode(sent.value, version)
  if (clears) object.metadata.managedFields = []
  applyStrictness(allFlaws(sent.flaws, flaws, kind.custom), validation, call)
  return object
}

/** Empty lists are dropped in decoding; this one says something. */
const clearsManagers = ({ metadata }: Record<string, unknown>): boolean =>
  isObject(metadata) && Array.isArray(metadata['managedFields']) && metadata['managedFields'].length === 0

export type IsKnown = (apiVersion: string, kind: string) => boolean

export const knownIn =
  (registry: Registry): IsKnown =>
  (apiVersion, kind) =>
    registry.findKind(apiVersion, kind) !== undefined

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
