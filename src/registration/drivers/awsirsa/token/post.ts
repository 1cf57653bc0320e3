import { request as overHttp } from 'node:http'
import { Agent, request as overHttps } from 'node:https'
import type { Env } from '../../../../kube/kubeconfig/index.ts'

export interface Answer {
  readonly status: number
  readonly text: string
  /** When the server answered, by its own clock. */
  readonly at?: Date
}

export type Post = (
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
) => Promise<Answer>

/** An answer of STS has about 2 KiB. */
const mostBytes = 256 * 1024

/**
 * By node:https, through the proxy of the environment as the aws CLI does it. Rejected: `fetch`, which cannot take the
 * proxy of an environment that is passed in, and the SDK's client for STS, which takes 60 ms to load here (node:https 8).
 */
export const postVia =
  (env: Env): Post =>
  (url, headers, body, signal) =>
    new Promise((resolve, reject) => {
      const options = { method: 'POST', headers: { ...headers, 'content-length': Buffer.byteLength(body) }, signal }
      const sent =
        url.protocol === 'http:'
          ? overHttp(url, options)
          : overHttps(url, { ...options, agent: new Agent({ proxyEnv: env }) })
      sent.on('error', reject)
      sent.on('response', (response) => {
        const chunks: Buffer[] = []
        let bytes = 0
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length
          if (bytes > mostBytes) response.destroy(new Error('the answer is too long'))
          else chunks.push(chunk)
        })
        response.on('error', reject)
        response.on('end', () => {
          const at = new Date(response.headers.date ?? '')
          resolve({
            status: response.statusCode ?? 0,
            text: Buffer.concat(chunks).toString(),
            ...(!Number.isNaN(at.getTime()) && { at }),
          })
        })
      })
      sent.end(body)
    })
