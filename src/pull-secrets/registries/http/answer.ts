import type { IncomingHttpHeaders } from 'node:http'

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  /** Undefined when there is none, or when it is not JSON. Never put into a failure or a log. */
  json?: unknown
}

/** A call that ended without an answer. */
export class NoAnswer extends Error {
  /** Whether the registry may have seen the call. */
  readonly wasSent: boolean
  readonly why: 'unreachable' | 'certificate-refused' | 'timeout' | 'reset' | 'too-large'

  constructor(why: NoAnswer['why'], wasSent: boolean, cause?: unknown) {
    super(`no answer: ${why}`, { cause })
    this.name = 'NoAnswer'
    this.why = why
    this.wasSent = wasSent
  }
}

export const isSuccess = ({ status }: Answer): boolean => status >= 200 && status < 300

/** A field of an answer, whatever the answer is. */
export function field(json: unknown, ...path: string[]): unknown {
  let at = json
  for (const key of path) {
    if (typeof at !== 'object' || at === null) return undefined
    at = (at as Record<string, unknown>)[key]
  }
  return at
}

export function textField(json: unknown, ...path: string[]): string | undefined {
  const value = field(json, ...path)
  return typeof value === 'string' && value !== '' ? value : undefined
}
