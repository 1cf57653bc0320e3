import { X509Certificate } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import type { LookupFunction } from 'node:net'
import type { PeerCertificate, SecureContext } from 'node:tls'
import { checkServerIdentity, createSecureContext } from 'node:tls'
import type { Clock } from '../../../core/clock.ts'
import type { EgressRules } from '../../../core/egress.ts'
import { checkedLookup, egressDenied } from '../../../core/egress.ts'
import { BoundedMap } from '../../../kube/bounded-map.ts'
import { systemRoots } from '../../../kube/client/identity.ts'
import { Handshakes } from './handshakes.ts'

/** Why there is no answer to speak of. Its message is for people and holds nothing that was sent. */
export class NoAnswer extends Error {
  readonly isAboutCertificate: boolean

  constructor(detail: string, options: { cause?: unknown; isAboutCertificate?: boolean } = {}) {
    super(detail, { cause: options.cause })
    this.name = 'NoAnswer'
    this.isAboutCertificate = options.isAboutCertificate ?? false
  }
}

/** The part of `fetch` that openid-client uses. */
export interface FetchOptions {
  method: string
  headers: Record<string, string>
  body?: unknown
}
export type IssuerFetch = (url: string, options: FetchOptions) => Promise<Response>

export interface FetchDeps {
  clock: Pick<Clock, 'countdown'>
  /** Where issuers may be. Asked at each request. */
  egress(): EgressRules
  /** Of one request, from its first byte to the last of its answer. Default 10,000. */
  deadlineMs?: number
}

const mostBytes = 256 * 1024
/** Certificate authorities at a time whose TLS settings are kept: to read the roots of the system takes a while. */
const mostAuthorities = 64

/**
 * How issuers are asked: where `egress` lets the hub connect, over TLS that is verified against `ca` (PEM; absent: the
 * system), without redirects, within a deadline on the clock and a limit on the answer. Each request has a connection of its own: once it is open, none waits
 * behind another.
 */
export function issuerFetches({
  clock,
  egress,
  deadlineMs = 10_000,
}: FetchDeps): (ca: string | undefined) => IssuerFetch {
  const contexts = new BoundedMap<string, SecureContext>(mostAuthorities)
  const contextOf = (ca: string | undefined): SecureContext => {
    const context = contexts.get(ca ?? '') ?? contextFor(ca)
    contexts.set(ca ?? '', context)
    return context
  }
  const handshakes = new Handshakes()
  return (ca) => async (url, options) => {
    const deadline = new AbortController()
    using _ = clock.countdown(deadlineMs, () =>
      deadline.abort(new NoAnswer(`it did not answer within ${deadlineMs / 1000} seconds`)),
    )
    let connected: (() => void) | undefined
    try {
      const lookup = checkedLookup(new URL(url).hostname, egress())
      const context = contextOf(ca)
      connected = await handshakes.begin(new URL(url).origin, deadline.signal)
      return await ask(url, options, { secureContext: context, lookup }, { signal: deadline.signal, connected })
    } catch (error) {
      if (deadline.signal.aborted) throw deadline.signal.reason
      throw error instanceof NoAnswer ? error : (egressDenied(error) ?? noAnswerOf(error))
    } finally {
      connected?.()
    }
  }
}

function contextFor(ca: string | undefined): SecureContext {
  try {
    // OpenSSL would pass over what is no certificate.
    if (ca !== undefined) new X509Certificate(ca)
    // An intermediate, or the certificate of the issuer itself, given as CA is trusted as itself, as Go does.
    return createSecureContext({ ca: ca ?? systemRoots(), minVersion: 'TLSv1.2', allowPartialTrustChain: true })
  } catch (cause) {
    throw new NoAnswer('the certificate authority that was given for it is not valid PEM', {
      cause,
      isAboutCertificate: true,
    })
  }
}

interface Asking {
  signal: AbortSignal
  connected: () => void
}

function ask(
  url: string,
  options: FetchOptions,
  connecting: { secureContext: SecureContext; lookup: LookupFunction },
  asking: Asking,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const { method, headers } = options
    const { signal, connected } = asking
    const body = options.body === undefined || options.body === null ? undefined : String(options.body)
    const sent = request(
      url,
      {
        ...{ method, signal, ...connecting, agent: false, checkServerIdentity: whyOther },
        headers: { ...headers, ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }) },
      },
      (answer) => void read(answer).then(resolve, reject),
    )
    sent.on('error', reject)
    sent.once('socket', (socket) => socket.once('secureConnect', connected))
    sent.end(body)
  })
}

/** As Go does it, only alternative names count; Node would take the common name where a certificate has none. */
const whyOther = (host: string, certificate: PeerCertificate): Error | undefined =>
  checkServerIdentity(host, { ...certificate, subject: { ...certificate.subject, CN: '' } })

async function read(answer: IncomingMessage): Promise<Response> {
  const { statusCode: status = 0 } = answer
  if (status < 200 || status > 599) throw dropped(answer, `it answered with status ${status}`)
  if (status >= 300 && status < 400)
    throw dropped(answer, `it answered with a redirect (${status}), which is not followed`)
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > mostBytes) throw dropped(answer, `its answer has more than ${mostBytes / 1024} KiB`)
    chunks.push(chunk)
  }
  const type = answer.headers['content-type']
  const hasBody = status !== 204 && status !== 205
  // Nothing else of the head: openid-client would take a challenge there for all that a refusal has to say.
  return new Response(hasBody ? Buffer.concat(chunks) : null, {
    status,
    ...(type && { headers: { 'content-type': type } }),
  })
}

function dropped(answer: IncomingMessage, why: string): NoAnswer {
  answer.destroy()
  return new NoAnswer(why)
}

/** OpenSSL's verdicts on a certificate chain, and Node's on its name, in the words of people. */
const certificateProblems: Readonly<Record<string, string>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: 'it is for another host',
  UNABLE_TO_GET_ISSUER_CERT: 'it is signed by an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'it is signed by an unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'it is signed by an unknown authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'it is signed by an unknown authority',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is signed by itself',
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not yet valid',
  CERT_SIGNATURE_FAILURE: 'its signature is wrong',
  CERT_UNTRUSTED: 'it is not trusted',
  CERT_REJECTED: 'it is not trusted',
  CERT_REVOKED: 'it is revoked',
  CERT_CHAIN_TOO_LONG: 'its chain is too long',
  INVALID_CA: 'its authority may not sign certificates',
  INVALID_PURPOSE: 'it is not for servers',
  PATH_LENGTH_EXCEEDED: 'its chain is too long',
  HOSTNAME_MISMATCH: 'it is for another host',
}

function noAnswerOf(error: unknown): NoAnswer {
  const { code, syscall } = error as { code?: string; syscall?: string }
  const problem = certificateProblems[code ?? '']
  if (problem !== undefined)
    return new NoAnswer(`its certificate cannot be trusted: ${problem} (${code})`, {
      cause: error,
      isAboutCertificate: true,
    })
  const what = code ? `${syscall ? `${syscall} ` : ''}${code}` : 'the connection failed'
  return new NoAnswer(`it cannot be reached: ${what}`, { cause: error })
}
