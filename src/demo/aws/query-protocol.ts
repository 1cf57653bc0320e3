/** The query protocol of IAM and STS: parameters in a form, answers in XML. */
import type { AwsRefusal } from './refusals.ts'
import type { RawRequest } from './request.ts'

export interface Params {
  get(name: string): string | undefined
  /** `TagKeys.member.1`, `TagKeys.member.2`… */
  list(name: string): string[]
  /** `Tags.member.1.Key`, `Tags.member.1.Value`… */
  structures(name: string): Record<string, string>[]
  all(): [string, string][]
}

/** Of the body and of the URL, as either may carry them. */
export function paramsOf({ query, body, headers }: RawRequest): Params {
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded')
  const values = new Map<string, string>([...query, ...(isForm ? new URLSearchParams(body) : [])])
  const members = <T>(read: (index: number) => T | undefined): T[] => {
    const found: T[] = []
    for (let index = 1, one = read(1); one !== undefined; one = read(++index)) found.push(one)
    return found
  }
  return {
    get: (name) => values.get(name),
    all: () => [...values],
    list: (name) => members((index) => values.get(`${name}.member.${index}`)),
    structures: (name) =>
      members((index) => {
        const prefix = `${name}.member.${index}.`
        const fields = [...values].filter(([key]) => key.startsWith(prefix))
        if (fields.length === 0) return undefined
        return Object.fromEntries(fields.map(([key, value]) => [key.slice(prefix.length), value]))
      }),
  }
}

/** Lists become `<member>`s; undefined is left out. */
export type Xml = string | number | boolean | Date | undefined | Xml[] | { [name: string]: Xml }

const namespaces = {
  iam: 'https://iam.amazonaws.com/doc/2010-05-08/',
  sts: 'https://sts.amazonaws.com/doc/2011-06-15/',
}

export type QueryService = keyof typeof namespaces

export interface WireReply {
  status: number
  type: string
  headers?: Record<string, string>
  body: string
}

const type = 'text/xml'

/** `result` is undefined for actions that answer nothing but that they were done. */
export function xmlAnswer(service: QueryService, action: string, result: Xml, requestId: string): WireReply {
  const parts = {
    ...(result !== undefined && { [`${action}Result`]: result }),
    ResponseMetadata: { RequestId: requestId },
  }
  return {
    status: 200,
    type,
    body: `<${action}Response xmlns="${namespaces[service]}">${xml(parts)}</${action}Response>`,
  }
}

export function xmlRefusal(service: QueryService, { row, message }: AwsRefusal, requestId: string): WireReply {
  return xmlError(service, { code: row.code, status: row.status, message }, requestId)
}

export function xmlError(
  service: QueryService,
  { code, status, message }: { code: string; status: number; message: string },
  requestId: string,
): WireReply {
  const error = {
    Error: { Type: status < 500 ? 'Sender' : 'Receiver', Code: code, Message: message },
    RequestId: requestId,
  }
  return { status, type, body: `<ErrorResponse xmlns="${namespaces[service]}">${xml(error)}</ErrorResponse>` }
}

function xml(value: Xml): string {
  if (value === undefined) return ''
  if (value instanceof Date) return value.toISOString().replace(/\.\d+Z$/, 'Z')
  if (Array.isArray(value)) return value.map((one) => `<member>${xml(one)}</member>`).join('')
  if (typeof value !== 'object') return escaped(String(value))
  return Object.entries(value)
    .filter(([, one]) => one !== undefined)
    .map(([name, one]) => `<${name}>${xml(one)}</${name}>`)
    .join('')
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string): string => text.replace(/[&<>"]/g, (char) => entities[char] ?? char)
