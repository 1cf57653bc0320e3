/** The REST-JSON protocol of EKS: the action is in method and path, answers are JSON. */
import type { Json } from './policy-document.ts'
import { isObject } from './policy-document.ts'
import type { WireReply } from './query-protocol.ts'
import type { AwsRefusal } from './refusals.ts'
import { refuse } from './refusals.ts'
import type { RawRequest } from './request.ts'
import { decoded, queryValue } from './request.ts'

const routes: readonly (readonly [action: string, method: string, path: string])[] = [
  ['ListClusters', 'GET', '/clusters'],
  ['DescribeCluster', 'GET', '/clusters/{name}'],
  ['ListAccessEntries', 'GET', '/clusters/{name}/access-entries'],
  ['CreateAccessEntry', 'POST', '/clusters/{name}/access-entries'],
  ['DescribeAccessEntry', 'GET', '/clusters/{name}/access-entries/{principalArn}'],
  ['UpdateAccessEntry', 'POST', '/clusters/{name}/access-entries/{principalArn}'],
  ['DeleteAccessEntry', 'DELETE', '/clusters/{name}/access-entries/{principalArn}'],
  ['TagResource', 'POST', '/tags/{resourceArn}'],
]

export interface EksInput {
  action: string
  /** Of the path, decoded. */
  labels: Readonly<Record<string, string>>
  query(name: string): string | undefined
  /** Reads the body: an object, or a refusal. */
  body(): Json
}

/** The action is the line of the request when nothing serves it. */
export function eksInput(request: RawRequest): EksInput {
  const segments = request.path.split('/').map(decoded)
  const [action, , path = ''] =
    routes.find(([, method, path]) => method === request.method && fits(path, segments)) ?? []
  const labels = path
    .split('/')
    .flatMap((part, index): [string, string][] =>
      part.startsWith('{') ? [[part.slice(1, -1), segments[index] ?? '']] : [],
    )
  return {
    action: action ?? `${request.method} ${request.path}`,
    labels: Object.fromEntries(labels),
    query: (name) => queryValue(request, name),
    body: () => bodyOf(request.body),
  }
}

const fits = (path: string, segments: readonly string[]): boolean => {
  const parts = path.split('/')
  return (
    parts.length === segments.length &&
    parts.every((part, index) => (part.startsWith('{') ? segments[index] !== '' : part === segments[index]))
  )
}

function bodyOf(text: string): Json {
  try {
    const body: unknown = JSON.parse(text)
    if (isObject(body)) return body
  } catch {
    // Refused below, as what is no object.
  }
  return refuse('EKS_PARAMETER_WRONG', { what: 'the body is not a JSON object' })
}

export const jsonAnswer = (body: unknown, requestId: string): WireReply => ({
  status: 200,
  type: 'application/json',
  headers: { 'x-amzn-requestid': requestId },
  body: JSON.stringify(body),
})

export const jsonRefusal = ({ row, message }: AwsRefusal, requestId: string): WireReply =>
  jsonError({ code: row.json ?? row.code, status: row.jsonStatus ?? row.status, message }, requestId)

export const jsonError = (
  { code, status, message }: { code: string; status: number; message: string },
  requestId: string,
): WireReply => ({
  status,
  type: 'application/json',
  headers: { 'x-amzn-requestid': requestId, 'x-amzn-errortype': code },
  body: JSON.stringify({ message }),
})
