import { connect } from 'node:http2'
import { request } from 'node:https'
import type { TLSSocket } from 'node:tls'

export interface Question {
  method?: string
  headers?: Record<string, string>
  body?: string | Buffer
  /** PEM of a client certificate. */
  cert?: string
  key?: string
  /** For a certificate that is not valid at the machine's own time. */
  unchecked?: boolean
}

export interface Reply {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
  /** Of the server's certificate. */
  serial: string
}

/** Over HTTP/1.1, on a connection of its own. */
export const ask = (url: string, ca: string, question: Question = {}): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const { method = 'GET', headers = {}, body, cert, key, unchecked = false } = question
    const options = { method, headers, ca, cert, key, agent: false as const, rejectUnauthorized: !unchecked }
    const asked = request(url, options, (response) => {
      const serial = (response.socket as TLSSocket).getPeerCertificate().serialNumber
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString(),
          serial,
        }),
      )
    })
    asked.on('error', reject)
    asked.end(body)
  })

/** Over HTTP/2. */
export const askHttp2 = async (url: string, ca: string, question: Question = {}) => {
  const { method = 'GET', headers = {}, body, cert, key } = question
  const { origin, pathname, search } = new URL(url)
  const session = connect(origin, { ca, ...(cert !== undefined && { cert }), ...(key !== undefined && { key }) })
  try {
    const stream = session.request({ ':method': method, ':path': `${pathname}${search}`, ...headers })
    stream.end(body)
    const head = await new Promise<Record<string, unknown>>((resolve, reject) => {
      session.once('error', reject)
      stream.once('error', reject)
      stream.once('response', resolve)
    })
    const chunks = await Array.fromAsync<Buffer>(stream)
    return { status: Number(head[':status']), body: Buffer.concat(chunks).toString() }
  } finally {
    session.close()
  }
}
