/** CloudEvents 1.0 as JSON, in both modes of its HTTP binding. */
import type { Selectable } from 'kysely'
import { failures } from '../failures.ts'
import type { OutboxTable } from '../store/tables.ts'

export interface CloudEvent {
  specversion: '1.0'
  id: string
  source: string
  type: string
  subject?: string
  time?: string
  datacontenttype?: string
  traceparent?: string
  data?: unknown
}

export const structuredMode = 'application/cloudevents+json'
const prefix = 'com.redhat.hyperfleet.pullsecret.'
const largestEvent = 65_536

/** What is published of a row: ids, states and counts, never a token. */
export const eventOf = (row: Selectable<OutboxTable>, source: string): CloudEvent => ({
  specversion: '1.0',
  id: row.id,
  source,
  type: `${prefix}${row.type}.v1`,
  ...(row.cluster_id !== null && { subject: row.cluster_id }),
  time: row.created_at.toISOString(),
  datacontenttype: 'application/json',
  ...(row.traceparent !== null && { traceparent: row.traceparent }),
  data: {
    ...(row.cluster_id !== null && {
      id: row.cluster_id,
      kind: 'PullSecret',
      href: `/api/hyperfleet/v1/clusters/${encodeURIComponent(row.cluster_id)}/pull-secrets`,
    }),
    ...row.data,
  },
})

/** Throws EVENT_MALFORMED. For bodies that no server of ours has bounded. */
export function checkSize(bytes: number): void {
  if (bytes > largestEvent) throw failures.EVENT_MALFORMED({ detail: 'it is larger than 64 KiB' })
}

/** Structured mode. Throws EVENT_MALFORMED. */
export function parseEvent(text: string): CloudEvent {
  checkSize(text.length)
  try {
    return checkedEvent(JSON.parse(text))
  } catch (error) {
    if (error instanceof SyntaxError) throw failures.EVENT_MALFORMED({ detail: 'it is no JSON' })
    throw error
  }
}

/** Binary mode: attributes are headers, the body is the data. */
export const eventOfHeaders = (headers: Readonly<Record<string, string | undefined>>, data: unknown): CloudEvent => {
  const attributes = Object.entries(headers).flatMap(([name, value]) =>
    name.startsWith('ce-') && value !== undefined ? [[name.slice(3), decodedHeader(value)]] : [],
  )
  return checkedEvent({ ...Object.fromEntries(attributes), ...(data !== undefined && data !== null && { data }) })
}

/** The binding percent-encodes what is no printable ASCII. */
function decodedHeader(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

export function checkedEvent(value: unknown): CloudEvent {
  if (!isRecord(value)) throw failures.EVENT_MALFORMED({ detail: 'it is no JSON object' })
  if (value['specversion'] !== '1.0') throw failures.EVENT_MALFORMED({ detail: 'specversion is not 1.0' })
  for (const attribute of ['id', 'source', 'type'])
    if (!isShortText(value[attribute])) throw failures.EVENT_MALFORMED({ detail: `${attribute} is missing or no text` })
  const { traceparent } = value
  return {
    specversion: '1.0',
    id: value['id'] as string,
    source: value['source'] as string,
    type: value['type'] as string,
    ...(typeof traceparent === 'string' && traceparentPattern.test(traceparent) && { traceparent }),
    ...('data' in value && { data: value['data'] }),
  }
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** W3C Trace Context. It becomes a header of what is told on. */
const traceparentPattern = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/

/** Two of them are one key in an index of the database, which takes 2,704 bytes and no NUL. */
const isShortText = (value: unknown): boolean =>
  typeof value === 'string' && value !== '' && Buffer.byteLength(value) <= 1_024 && !value.includes('\0')
