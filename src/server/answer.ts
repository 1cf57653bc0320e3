import { isFailure } from '../core/failure.ts'
import { failures } from './failures.ts'

export interface Answer {
  status: number
  contentType: string
  body: string
  headers?: Readonly<Record<string, string>>
}

export const text = (status: number, body: string): Answer => ({
  status,
  contentType: 'text/plain; charset=utf-8',
  body,
})

export const json = (body: unknown): Answer => ({
  status: 200,
  contentType: 'application/json',
  body: JSON.stringify(body),
})

/** RFC 9457. Whatever is not from our catalogue is told as SERVER_INTERNAL, so that no internals leave. */
export function problem(error: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  const { code, status, message } = isFailure(error) ? error : failures.SERVER_INTERNAL()
  return {
    status,
    contentType: 'application/problem+json',
    body: JSON.stringify({ status, code, detail: message }),
    headers,
  }
}
