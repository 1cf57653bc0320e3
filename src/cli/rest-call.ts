import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import type { Secret } from '../core/secret.ts'

/** Where a REST API is, and how to speak to it. */
export interface RestServer {
  server: string
  /** Absent: as nobody in particular. */
  token?: Secret | undefined
  /** Who vouches for the server, PEM. Absent: the system. */
  ca?: string | undefined
  signal: AbortSignal
}

export interface RestCall {
  method: 'GET' | 'POST' | 'DELETE'
  path: string
  body?: unknown
  query?: Readonly<Record<string, string | readonly string[]>>
  headers?: Readonly<Record<string, string>>
  /** Silence after which it is given up. */
  patienceMs?: number
}

export interface RestAnswered {
  status: number
  headers: IncomingHttpHeaders
  /** Undefined where it is no JSON. */
  body: unknown
  text: string
}

const defaultPatienceMs = 120_000

/** One call. Rejects with the error of the connection where there is no answer. */
export async function restCall(to: RestServer, call: RestCall): Promise<RestAnswered> {
  const response = await openCall(to, call)
  const text = await readAll(response)
  return { status: response.statusCode ?? 0, headers: response.headers, body: parse(text), text }
}

/** The same, with an answer that is read as it comes. */
export function openCall(
  { server, token, ca, signal }: RestServer,
  { method, path, body, query = {}, headers = {}, patienceMs = defaultPatienceMs }: RestCall,
): Promise<IncomingMessage> {
  const url = new URL(`${server.replace(/\/+$/, '')}${path}`)
  for (const [name, values] of Object.entries(query))
    for (const value of [values].flat()) url.searchParams.append(name, value)
  const text = body === undefined ? undefined : JSON.stringify(body)
  return new Promise((resolve, reject) => {
    const asking = (url.protocol === 'https:' ? tlsRequest : plainRequest)(
      url,
      {
        ...{ method, signal, timeout: patienceMs, ...(ca !== undefined && { ca }) },
        headers: {
          accept: 'application/json, application/problem+json',
          ...(token && { authorization: `Bearer ${token.reveal()}` }),
          ...(text !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
      },
      resolve,
    )
    asking.on('timeout', () => asking.destroy(new Error('no answer')))
    asking.on('error', reject)
    asking.end(text)
  })
}

export async function readAll(response: IncomingMessage): Promise<string> {
  let text = ''
  response.setEncoding('utf8')
  for await (const part of response) text += part
  return text
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
