import type { IncomingHttpHeaders } from 'node:http'
import { request } from 'node:https'
import type { ControlPlane } from './control-plane.ts'

export interface ApiAnswer {
  status: number
  headers: IncomingHttpHeaders
  body: Record<string, unknown>
}

/** One request of the admin over HTTP/1.1, with the headers of the answer, which the client of src/kube does not give. */
export function apiAnswer(
  { url, caPem, admin }: ControlPlane,
  { method = 'GET', path, body }: { method?: string; path: string; body?: unknown },
): Promise<ApiAnswer> {
  const sent = body === undefined ? undefined : JSON.stringify(body)
  return new Promise((resolve, reject) => {
    const exchange = request(
      new URL(path, url),
      {
        method,
        ca: caPem,
        cert: admin.certPem,
        key: admin.keyPem.reveal(),
        agent: false,
        headers: { 'content-type': 'application/json' },
      },
      async (response) => {
        const text = Buffer.concat(await Array.fromAsync<Buffer>(response)).toString()
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: JSON.parse(text) })
      },
    )
    exchange.on('error', reject)
    exchange.end(sent)
  })
}
