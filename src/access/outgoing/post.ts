import { X509Certificate } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { request as httpRequest } from 'node:http'
import type { RequestOptions } from 'node:https'
import { request as httpsRequest } from 'node:https'
import type { Clock } from '../../core/clock.ts'
import type { EgressRules } from '../../core/egress.ts'
import { checkedLookup, everywhere } from '../../core/egress.ts'
import { isFailure } from '../../core/failure.ts'
import { deadline } from '../../kube/deadline.ts'
import { failures } from './failures.ts'

export interface Post {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** JSON. */
  readonly body: string
  /** PEM that vouches for the server. Absent: the system. */
  readonly ca?: string
  /** Take whatever certificate it shows. */
  readonly insecure?: boolean
  readonly timeoutMs: number
}

export interface PostDeps {
  readonly clock: Pick<Clock, 'countdown'>
  readonly egress?: (() => EgressRules) | undefined
}

/** Resolves when the server has taken it. Throws EGRESS_DENIED, OUTGOING_UNANSWERED, OUTGOING_REFUSED or the reason of the signal. */
export type SendPost = (post: Post, signal: AbortSignal) => Promise<void>

/**
 * Each on a connection of its own, so that none waits behind another. No redirects: what is sent is for one place.
 * @param deps.egress where a server may be that a user named; absent for those of the hub's own configuration.
 */
export function sendingPosts({ clock, egress = () => everywhere }: PostDeps): SendPost {
  return async (post, signal) => {
    const host = hostOf(post.url)
    const tooLate = () =>
      failures.OUTGOING_UNANSWERED({ host, detail: `no answer within ${post.timeoutMs / 1_000} seconds` })
    using limit = deadline(clock, post.timeoutMs, tooLate, signal)
    let answered: number
    try {
      answered = await statusOf(post, egress(), limit.signal)
    } catch (error) {
      if (limit.signal.aborted) throw limit.signal.reason
      if (isFailure(error)) throw error
      const { code } = error as { code?: unknown }
      throw failures.OUTGOING_UNANSWERED({ host, detail: typeof code === 'string' ? code : 'the connection failed' })
    }
    if (answered < 200 || answered > 299) throw failures.OUTGOING_REFUSED({ host, answered })
  }
}

/** What a server answered; undefined for whatever else went wrong. */
export const answeredStatus = (error: unknown): number | undefined =>
  isFailure(error, 'OUTGOING_REFUSED') ? Number(error.params['answered']) : undefined

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : 'the server')

function statusOf(
  { url, headers, body, ca, insecure }: Post,
  egress: EgressRules,
  signal: AbortSignal,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const options: RequestOptions = {
      ...{ method: 'POST', signal, agent: false, lookup: checkedLookup(new URL(url).hostname, egress) },
      headers: { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      ...(ca !== undefined && { ca: checkedPem(url, ca) }),
      ...(insecure && { rejectUnauthorized: false }),
    }
    const onAnswer = (answer: IncomingMessage) => {
      // What it says besides is nobody's concern, and may be endless.
      answer.on('error', () => {})
      resolve(answer.statusCode ?? 0)
      answer.destroy()
    }
    const send = url.startsWith('https:') ? httpsRequest : httpRequest
    const sent = send(url, options, onAnswer)
    sent.on('error', reject)
    sent.end(body)
  })
}

/** OpenSSL would pass over what is no certificate. */
function checkedPem(url: string, ca: string): string {
  try {
    new X509Certificate(ca)
    return ca
  } catch {
    throw failures.OUTGOING_UNANSWERED({
      host: hostOf(url),
      detail: 'the certificate authority given for it is not PEM',
    })
  }
}
