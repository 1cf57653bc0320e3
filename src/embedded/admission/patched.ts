import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../../core/schema/schema.ts'
import { goQuote } from '../go-quote.ts'
import { jsonTypeOf } from '../kinds/decode/go-types.ts'
import { syntaxError } from '../kinds/decode/json-syntax.ts'
import type { Served } from '../kinds/registry.ts'
import type { ApiObject } from '../objects.ts'
import { applyJsonPatch, copyBudget } from '../patch/json-patch.ts'
import { internalError } from '../status.ts'
import { askFailure } from './ask.ts'
import { whyNotApplied } from './patch-words.ts'
import type { Verdict } from './review-response.ts'
import type { Webhook } from './webhooks.ts'

/**
 * The object as a webhook wants it; undefined when it leaves it as it is. What comes of the patch is decoded as if a
 * client had sent it, so the next webhook sees no field that the kind does not have, and all of its defaults.
 */
export function patched(
  webhook: Webhook,
  { patch, patchType }: Verdict,
  object: ApiObject | undefined,
  served: Served,
): ApiObject | undefined {
  if (patch === '') return undefined
  const operations = operationsOf(webhook, patch)
  if (operations.length === 0) return undefined
  if (!object)
    throw internalError(
      `admission webhook ${goQuote(webhook.name)} attempted to modify the object, which is not supported for this operation`,
    )
  if (patchType !== 'JSONPatch') throw askFailure(webhook, `unsupported patch type ${goQuote(patchType)}`)
  try {
    const next = decoded(applied(structuredClone(object), operations), object, served)
    return isDeepStrictEqual(next, object) ? undefined : next
  } catch (error) {
    throw error instanceof Error ? internalError(withoutPreface(error.message)) : error
  }
}

/** One operation at a time, to be able to say which of them does not fit. */
function applied(object: Record<string, unknown>, operations: readonly unknown[]): Record<string, unknown> {
  let document = object
  const budget = copyBudget()
  for (const operation of operations) {
    try {
      document = applyJsonPatch(document, [operation], budget)
    } catch {
      throw new Error(whyNotApplied(document, operation))
    }
  }
  return document
}

function operationsOf(webhook: Webhook, patch: string): readonly unknown[] {
  const undecodable = (why: string) => askFailure(webhook, `received undecodable patch in webhook response: ${why}`)
  let value: unknown
  try {
    value = JSON.parse(patch)
  } catch {
    throw undecodable(syntaxError(Buffer.from(patch)) ?? 'unexpected end of JSON input')
  }
  if (!Array.isArray(value))
    throw undecodable(`json: cannot unmarshal ${jsonTypeOf(value)} into Go value of type jsonpatch.Patch`)
  const odd = value.find((operation) => operation !== null && !isObject(operation))
  if (odd !== undefined)
    throw undecodable(`json: cannot unmarshal ${jsonTypeOf(odd)} into Go value of type jsonpatch.Operation`)
  return value
}

function decoded(patched: Record<string, unknown>, before: ApiObject, { kind, version }: Served): ApiObject {
  if (patched['kind'] !== before.kind || patched['apiVersion'] !== before.apiVersion)
    throw new Error(
      `no kind ${goQuote(`${patched['kind']}`)} is registered for version ${goQuote(`${patched['apiVersion']}`)} in scheme "pkg/runtime/scheme.go:111"`,
    )
  // What is written through a subresource of another kind has a schema of its own, which its subresource checks.
  if (before.kind !== kind.kind) return patched as ApiObject
  const { object } = kind.decode(patched, version)
  kind.rules.defaults?.(object)
  return object
}

/** A client is told in which version its object could not be read; a webhook's failure is told without that. */
const withoutPreface = (message: string): string =>
  message.replace(/^\w+ in version "[^"]*" cannot be handled as a \w+: /, '')
