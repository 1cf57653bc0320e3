import type { IncomingHttpHeaders, RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { gunzipSync } from 'node:zlib'
import type { ControlPlane } from './control-plane.ts'

export interface RawRequest {
  method?: string
  path: string
  headers?: Record<string, string>
  body?: string | Buffer
  /** Default: the admin. null is a stranger. */
  certificate?: { certPem: string; keyPem: { reveal(): string } } | null
  /** Default 20,000. */
  timeoutMs?: number
}

export interface RawAnswer {
  code: number
  headers: IncomingHttpHeaders
  text: string
  /** Of JSON; undefined when it is none. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever the server answered, for assertions to look into
  json: any
  /** The texts of the Warning headers. */
  warnings: string[]
}

/** One request over HTTP/1.1 with nothing of our own client in between, for what a test says about bytes and headers. */
export function rawRequest(
  plane: Pick<ControlPlane, 'url' | 'caPem'> & Partial<Pick<ControlPlane, 'admin'>>,
  request: RawRequest,
): Promise<RawAnswer> {
  const { method = 'GET', path, headers = {}, body, certificate = plane.admin, timeoutMs = 20_000 } = request
  const { hostname, port } = new URL(plane.url)
  const options: RequestOptions = {
    host: hostname,
    port,
    method,
    path,
    headers,
    agent: false,
    signal: AbortSignal.timeout(timeoutMs),
    ...{ ca: plane.caPem },
    ...(certificate && { cert: certificate.certPem, key: certificate.keyPem.reveal() }),
  }
  return new Promise((resolve, reject) => {
    const asked = httpsRequest(options, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.once('error', reject)
      answer.once('end', () => {
        const bytes = Buffer.concat(chunks)
        const isPacked = answer.headers['content-encoding'] === 'gzip'
        const text = (isPacked ? gunzipSync(bytes) : bytes).toString()
        const warnings = (answer.headersDistinct['warning'] ?? []).map(warningText)
        resolve({ code: answer.statusCode ?? 0, headers: answer.headers, text, json: parsed(text), warnings })
      })
    })
    asked.once('error', reject)
    asked.end(body)
  })
}

/** `299 - "the text"` */
const warningText = (header: string): string => header.replace(/^299 - "(.*)"$/s, '$1').replace(/\\(.)/g, '$1')

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
