import { parse } from 'yaml'
import { readYaml } from '../kinds/decode/read-yaml.ts'
import { Unreadable } from '../kinds/decode/unreadable.ts'
import type { WholeAnswer } from '../requests/answer.ts'
import type { Status } from '../status.ts'
import type { ResponseStatus } from './event.ts'

const isYaml = ({ contentType }: WholeAnswer): boolean => contentType.startsWith('application/yaml')

/** What an answer holds as JSON on one line; undefined for one that is no JSON. */
export function answerText(answer: WholeAnswer): string | undefined {
  if (isYaml(answer)) return JSON.stringify(parse(answer.body))
  if (!answer.contentType.startsWith('application/json')) return undefined
  const text = answer.body.trim()
  return text.includes('\n') ? JSON.stringify(JSON.parse(text)) : text
}

/** How a request ended. A Status tells it itself; of any other answer it is the code. */
export function statusOf(answer: WholeAnswer): ResponseStatus {
  const text = beginsAsStatus.test(answer.body) ? answerText(answer) : undefined
  if (text === undefined) return { metadata: {}, code: answer.code }
  const { status, message, reason, details } = JSON.parse(text) as Status
  return {
    metadata: {},
    status,
    ...(message && { message }),
    ...(reason && { reason }),
    ...(details && { details }),
    code: answer.code,
  }
}

export const isStatus = ({ body }: WholeAnswer): boolean => beginsAsStatus.test(body)

const beginsAsStatus = /^(?:\{\s*"kind":\s*"Status"|kind: Status\b)/

/** What was sent as JSON on one line, also where it was YAML; undefined for what cannot be read. */
export function sentText(bytes: Buffer): string | undefined {
  try {
    return JSON.stringify(JSON.parse(bytes.toString('utf8')))
  } catch {
    return fromYaml(bytes)
  }
}

function fromYaml(bytes: Buffer): string | undefined {
  try {
    return JSON.stringify(readYaml(bytes).value)
  } catch (error) {
    if (error instanceof Unreadable) return undefined
    throw error
  }
}

/** The options of a delete, under the name by which the real server writes them down. */
export const asDeleteOptions = (options: object): object => {
  const type = { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/__internal' }
  return { ...type, ...options, ...type }
}

interface Managed {
  metadata?: { managedFields?: unknown }
  items?: Managed[]
  rows?: { object?: Managed }[]
}

/** An object, a list of them or a table, without who owns which of their fields. */
export function withoutManagedFields(text: string): string {
  if (!text.includes('"managedFields"')) return text
  const object = JSON.parse(text) as Managed
  const { items = [], rows = [] } = object
  for (const each of [object, ...items, ...rows.map((row) => row.object)]) delete each?.metadata?.managedFields
  return JSON.stringify(object)
}
