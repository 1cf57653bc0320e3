import { goQuote } from '../go-quote.ts'
import { jsonTypeOf } from '../kinds/decode/go-types.ts'
import { syntaxError } from '../kinds/decode/json-syntax.ts'
import { notJson } from '../kinds/decode/unrecognized.ts'
import type { RawAnswer } from './webhook-client.ts'
import { statusCodeWords } from './webhook-words.ts'

const typeFields =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'

/** The object that a webhook answered with. Throws an Error in the words of the real server. */
export function readWebhookAnswer({ status, contentType, body }: RawAnswer): Record<string, unknown> {
  if (status < 200 || status > 299) throw new Error(whyRefused(status, body.toString().trim()))
  if (body.length === 0)
    throw new Error(`0-length response with status code: ${status} and content type: ${contentType}`)
  const value = parse(body)
  if (value === null) return {}
  if (typeof value !== 'object' || Array.isArray(value)) throw new Error(notAnObject(jsonTypeOf(value)))
  return value as Record<string, unknown>
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    // What does not begin as JSON is YAML to the real server, and mostly a string.
    const looksLikeJson = body.toString().trimStart().startsWith('{')
    throw new Error(
      looksLikeJson ? notJson(syntaxError(body) ?? 'unexpected end of JSON input') : notAnObject('string'),
    )
  }
}

const notAnObject = (type: string): string =>
  notJson(`json: cannot unmarshal ${type} into Go value of type ${typeFields}`)

/** A Status in the body says more than the code. */
function whyRefused(status: number, body: string): string {
  try {
    const { kind, message } = JSON.parse(body) as { kind?: unknown; message?: unknown }
    if (kind === 'Status' && typeof message === 'string') return message
  } catch {
    // Not JSON: then it is text for people.
  }
  return statusCodeWords(status, body, goQuote(body))
}
