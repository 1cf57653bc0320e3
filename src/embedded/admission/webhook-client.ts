import type { IncomingMessage } from 'node:http'
import type { Agent } from 'node:https'
import { request } from 'node:https'
import type { Clock } from '../../core/clock.ts'
import { goQuote } from '../go-quote.ts'
import { readWebhookAnswer } from './webhook-answer.ts'
import type { CredentialFor, WebhookCredential } from './webhook-credentials.ts'
import { connectionWords, deadlineWords } from './webhook-words.ts'

/** Where a webhook is: by its URL, or by a service. */
export interface WebhookClientConfig {
  readonly url?: string
  readonly service?: ServiceReference
  /** PEM in base64. Absent: the system's roots. */
  readonly caBundle?: string
}

export interface ServiceReference {
  readonly namespace: string
  readonly name: string
  readonly path?: string
  /** Default 443. */
  readonly port?: number
}

/** Where a service can be reached, as `host:port`; undefined when there is no such service. */
export type ResolveService = (service: ServiceReference) => string | undefined

export interface WebhookCall {
  readonly clientConfig: WebhookClientConfig
  readonly timeoutMs: number
  readonly clock: Pick<Clock, 'countdown'>
  readonly resolveService: ResolveService
  /** What the webhook is shown. Absent: nothing. */
  readonly credentialFor?: CredentialFor
  /** Keeps connections for the next call. Default: one connection a call. */
  readonly agent?: Agent
}

/** A webhook could not be asked, or did not answer as one. In the words of the real server, without the webhook's name. */
export class WebhookFailure extends Error {
  readonly isDeadline: boolean

  constructor(message: string, cause?: unknown, isDeadline = false) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'WebhookFailure'
    this.isDeadline = isDeadline
  }
}

/** An answer that is longer is not read to its end. */
const longestAnswerBytes = 16 * 2 ** 20

interface Target {
  readonly url: URL
  /** The URL as messages have it: a port of 443 is named where it was named. */
  readonly shown: string
  /** Where to connect to, when that is not what the URL says. */
  readonly address?: { readonly hostname: string; readonly port: string }
  readonly ca?: string
}

/** Posts a review and resolves to the object that came back. Throws `WebhookFailure`. Redirects are not followed. */
export async function callWebhook(call: WebhookCall, review: unknown): Promise<Record<string, unknown>> {
  const target = targetOf(call)
  const body = Buffer.from(JSON.stringify(review))
  const abort = new AbortController()
  using _deadline = call.clock.countdown(call.timeoutMs, () => abort.abort())
  const { url } = target
  const credential = call.credentialFor?.(`${url.hostname}:${url.port || 443}`) ?? {}
  const exchange = () => post(target, body, credential, abort.signal, call.agent)
  try {
    return readWebhookAnswer(await exchange().catch((error) => (wasStale(error) ? exchange() : Promise.reject(error))))
  } catch (error) {
    if (error instanceof WebhookFailure) throw error
    throw new WebhookFailure((error as Error).message, error)
  }
}

function targetOf({ clientConfig, timeoutMs, resolveService }: WebhookCall): Target {
  const { url, service, caBundle } = clientConfig
  const ca = caBundle ? { ca: Buffer.from(caBundle, 'base64').toString() } : {}
  const timeout = `timeout=${timeoutMs / 1000}s`
  if (!service) {
    const target = new URL(url ?? '')
    if (target.protocol !== 'https:') throw new WebhookFailure(`${goQuote(target.href)} is not https`)
    target.search = timeout
    return { url: target, shown: target.href, ...ca }
  }
  const { namespace, name, path = '', port = 443 } = service
  const host = `${name}.${namespace}.svc`
  const shown = `https://${host}:${port}${path.startsWith('/') ? '' : '/'}${path}?${timeout}`
  const address = resolveService(service)
  if (address === undefined) throw new WebhookFailure(`Post ${goQuote(shown)}: service ${goQuote(name)} not found`)
  const colon = address.lastIndexOf(':')
  return {
    url: new URL(shown),
    shown,
    address: { hostname: address.slice(0, colon).replace(/^\[|\]$/g, ''), port: address.slice(colon + 1) },
    ...ca,
  }
}

export interface RawAnswer {
  readonly status: number
  readonly contentType: string
  readonly body: Buffer
}

/** The connection had been kept, and the other side has closed it in the meantime: nothing was asked yet. */
class StaleConnection extends WebhookFailure {}

const wasStale = (error: unknown): boolean => error instanceof StaleConnection

function post(
  { url, shown, address, ca }: Target,
  body: Buffer,
  { cert, key, authorization }: WebhookCredential,
  signal: AbortSignal,
  agent?: Agent,
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const exchange = request(
      url,
      {
        method: 'POST',
        agent: agent ?? false,
        signal,
        ...(ca !== undefined && { ca }),
        ...(cert !== undefined && key && { cert, key: key.reveal() }),
        ...(address && { ...address, servername: url.hostname }),
        headers: {
          host: url.host,
          accept: 'application/json, */*',
          'content-type': 'application/json',
          'content-length': body.length,
          'user-agent': 'kube-apiserver-admission',
          ...(authorization && { authorization: authorization.reveal() }),
        },
      },
      (response) => {
        readBody(response).then(
          (read) =>
            resolve({
              status: response.statusCode ?? 0,
              contentType: response.headers['content-type'] ?? 'application/json',
              body: read,
            }),
          (error) => reject(unreadable(error, signal)),
        )
      },
    )
    exchange.on('error', (error: NodeJS.ErrnoException) => {
      const words = signal.aborted ? deadlineWords : connectionWords(error, url)
      const message = `Post ${goQuote(shown)}: ${words}`
      const isStale = exchange.reusedSocket && error.code === 'ECONNRESET' && !signal.aborted
      reject(new (isStale ? StaleConnection : WebhookFailure)(message, error, signal.aborted))
    })
    exchange.end(body)
  })
}

async function readBody(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > longestAnswerBytes) {
      response.destroy()
      throw new WebhookFailure(`the response is longer than ${longestAnswerBytes} bytes`)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const unreadable = (error: Error, signal: AbortSignal): Error =>
  error instanceof WebhookFailure
    ? error
    : new WebhookFailure(
        `unexpected error when reading response body. Please retry. Original error: ${signal.aborted ? deadlineWords : 'unexpected EOF'}`,
        error,
        signal.aborted,
      )
