import type { ControlPlane } from './control-plane.ts'
import { rawRequest } from './raw-request.ts'

export interface RawCall {
  method?: string
  path: string
  query?: Record<string, string>
  /** Sent as it is; anything but text as JSON. */
  body?: unknown
  /** Undefined: JSON. Null: none is said. */
  contentType?: string | null
}

export interface RawAnswer {
  code: number
  // biome-ignore lint/suspicious/noExplicitAny: whatever the server says
  body: any
  /** The texts of the Warning headers. */
  warnings: string[]
}

/** One request of the admin, and the answer with its warnings, as text or as JSON: what no client lets a test do. */
export async function rawCall(plane: ControlPlane, call: RawCall): Promise<RawAnswer> {
  const { method = 'GET', path, query = {}, body, contentType = 'application/json' } = call
  const { pathname } = new URL(path, plane.url)
  const search = new URLSearchParams(query).toString()
  const { code, text, json, warnings } = await rawRequest(plane, {
    method,
    path: search === '' ? pathname : `${pathname}?${search}`,
    headers: { accept: 'application/json', ...(contentType !== null && { 'content-type': contentType }) },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  return { code, body: text === '' ? undefined : (json ?? text), warnings }
}
