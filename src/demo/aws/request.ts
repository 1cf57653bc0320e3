import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { bodyOf } from '../body-of.ts'

/** A call as it came over the wire, or as a presigned URL stands for one. */
export interface RawRequest {
  method: string
  /** Not decoded: what was signed. */
  path: string
  /** Decoded, in the order they came. */
  query: readonly (readonly [name: string, value: string])[]
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>
  body: string
}

export async function readRequest(request: IncomingMessage): Promise<RawRequest> {
  const headers = Object.entries(request.headers).map(([name, value]) => [name, [value].flat().join(',')])
  const [path = '', query = ''] = splitOnce(request.url ?? '', '?')
  return {
    method: request.method ?? '',
    path,
    query: queryPairs(query),
    headers: Object.fromEntries(headers),
    body: await bodyOf(request),
  }
}

export const queryPairs = (query: string): [string, string][] =>
  query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [name = '', value = ''] = splitOnce(pair, '=')
      return [decoded(name), decoded(value)]
    })

export const queryValue = ({ query }: RawRequest, name: string): string | undefined =>
  query.find(([other]) => other === name)?.[1]

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

function splitOnce(text: string, by: string): [string, string] {
  const at = text.indexOf(by)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

/** Not of form bodies: a plus is a plus. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
