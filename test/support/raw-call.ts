import { request } from 'node:https'
import type { ControlPlane } from './control-plane.ts'

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

/** One request of the admin, byte for byte, and the answer with its warnings: what no client lets a test do. */
export function rawCall({ url, caPem, admin }: ControlPlane, call: RawCall): Promise<RawAnswer> {
  const { method = 'GET', path, query = {}, body, contentType = 'application/json' } = call
  const sent = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  const target = new URL(path, url)
  target.search = new URLSearchParams(query).toString()
  const options = {
    method,
    ca: caPem,
    cert: admin.certPem,
    key: admin.keyPem.reveal(),
    agent: false as const,
    headers: { accept: 'application/json', ...(contentType !== null && { 'content-type': contentType }) },
  }
  return new Promise((resolve, reject) => {
    const exchange = request(target, options, async (response) => {
      const text = Buffer.concat(await Array.fromAsync<Buffer>(response)).toString()
      const warnings = (response.headersDistinct['warning'] ?? []).map(warningText)
      resolve({ code: response.statusCode ?? 0, body: text === '' ? undefined : parsed(text), warnings })
    })
    exchange.on('error', reject)
    exchange.end(sent)
  })
}

/** `299 - "the text"` */
const warningText = (header: string): string => header.replace(/^299 - "(.*)"$/s, '$1').replace(/\\(.)/g, '$1')

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
