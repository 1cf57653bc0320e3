import type { Clock } from '../../../../core/clock.ts'
import { sleep } from '../../../../core/clock.ts'
import { Secret } from '../../../../core/secret.ts'
import { failures } from './failures.ts'
import type { Answer, Post } from './post.ts'
import type { AwsCredentials } from './sigv4.ts'
import { signedHeaders } from './sigv4.ts'

export interface StsDeps {
  endpoint: URL
  region: string
  post: Post
  clock: Clock
}

/** What STS says to somebody who wants to be a role. */
export type StsAnswer =
  | { readonly is: 'granted'; readonly credentials: AwsCredentials }
  /** By the code, which is of a closed list. The detail is for people. */
  | { readonly is: 'refused'; readonly code: string; readonly detail: string }

interface Unreachable {
  readonly is: 'unreachable'
  readonly detail: string
}

export interface StsCall {
  readonly action: 'AssumeRole' | 'AssumeRoleWithWebIdentity'
  readonly params: Readonly<Record<string, string | Secret>>
  /** Absent: the request is not signed, for a web identity proves itself. */
  readonly credentials?: AwsCredentials
}

/** Before a further try. Who cannot get through within them hears so: the program that asks has a deadline of its own. */
const pausesMs = [200, 1_000]
const deadlineMs = 10_000
/** From here on a refused signature is put down to the clock. */
const skewMs = 300_000

/** Asks STS for credentials of a role. Throws when it cannot be asked, and when the clock makes asking pointless. */
export async function askSts(call: StsCall, deps: StsDeps, signal: AbortSignal): Promise<StsAnswer> {
  for (let tries = 0; ; tries += 1) {
    const found = await once(call, deps, signal)
    if (found.is !== 'unreachable') return found
    const pauseMs = pausesMs[tries]
    if (pauseMs === undefined)
      throw failures.AWS_STS_UNREACHABLE({ endpoint: deps.endpoint.origin, detail: found.detail })
    await sleep(deps.clock, pauseMs, signal)
  }
}

async function once(
  { action, params, credentials }: StsCall,
  { endpoint, region, post, clock }: StsDeps,
  signal: AbortSignal,
): Promise<StsAnswer | Unreachable> {
  const plain = Object.entries(params).map(([name, value]) => [name, value instanceof Secret ? value.reveal() : value])
  const body = new URLSearchParams({ Action: action, Version: '2011-06-15', ...Object.fromEntries(plain) }).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' }
  const at = clock.now()
  const signed = credentials
    ? signedHeaders({ method: 'POST', url: endpoint, headers, body }, { credentials, service: 'sts', region, at })
    : { ...headers, host: endpoint.host }
  const overdue = new AbortController()
  using _ = clock.countdown(deadlineMs, () => overdue.abort())
  let answer: Answer
  try {
    answer = await post(endpoint, signed, body, AbortSignal.any([signal, overdue.signal]))
  } catch (error) {
    signal.throwIfAborted()
    const detail = overdue.signal.aborted ? `no answer within ${deadlineMs / 1000} s` : codeOf(error)
    return { is: 'unreachable', detail }
  }
  if (answer.status === 200) return granted(answer.text)
  const code = textIn(answer.text, 'Code') ?? `status ${answer.status}`
  if (answer.status >= 500 || answer.status === 429 || passing.has(code)) return { is: 'unreachable', detail: code }
  if (ofSignatures.has(code)) refuseSkew(answer, at, endpoint)
  const message = telling.has(code) ? textIn(answer.text, 'Message') : undefined
  return { is: 'refused', code, detail: message ? `${code}: ${withoutSecrets(message, params)}` : code }
}

function granted(text: string): StsAnswer | Unreachable {
  const [accessKeyId, secret, session] = ['AccessKeyId', 'SecretAccessKey', 'SessionToken'].map((n) => textIn(text, n))
  const expiresAt = new Date(textIn(text, 'Expiration') ?? '')
  // As from a captive portal, or a proxy with a page of its own.
  if (!accessKeyId || !secret || !session || Number.isNaN(expiresAt.getTime()))
    return { is: 'unreachable', detail: 'what answers there is not STS' }
  return {
    is: 'granted',
    credentials: { accessKeyId, secretAccessKey: Secret.of(secret), sessionToken: Secret.of(session), expiresAt },
  }
}

/** What a wrong key and a wrong clock have in common. */
const ofSignatures = new Set(['SignatureDoesNotMatch', 'RequestExpired', 'RequestTimeTooSkewed'])

/** Told by the two clocks, not by words. */
function refuseSkew({ at }: Answer, askedAt: Date, endpoint: URL): void {
  const aheadMs = at ? askedAt.getTime() - at.getTime() : 0
  if (Math.abs(aheadMs) <= skewMs) return
  const seconds = Math.round(Math.abs(aheadMs) / 1_000)
  throw failures.AWS_CLOCK_SKEW({ seconds, direction: aheadMs > 0 ? 'ahead of' : 'behind', endpoint: endpoint.origin })
}

/** It may answer otherwise in a moment. */
const passing = new Set(['Throttling', 'ThrottlingException', 'RequestLimitExceeded', 'IDPCommunicationError'])

/** Only of these are the words shown: those about a signature repeat the request, with the token of the session. */
const telling = new Set([
  'AccessDenied',
  'InvalidIdentityToken',
  'IDPRejectedClaim',
  'ValidationError',
  'RegionDisabledException',
])

const longestDetail = 400

const withoutSecrets = (message: string, params: StsCall['params']): string =>
  Object.values(params)
    .reduce<string>((text, value) => (value instanceof Secret ? text.replaceAll(value.reveal(), '***') : text), message)
    .replace(/\s+/g, ' ')
    .slice(0, longestDetail)

/** Of the first element of that name. The answers are flat enough for it: no name occurs twice with two meanings. */
function textIn(xml: string, name: string): string | undefined {
  const [, text] = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml) ?? []
  return text?.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal, hex, named: string) => {
    if (named !== undefined) return entities[named] ?? whole
    return String.fromCodePoint(decimal ? Number(decimal) : Number.parseInt(hex, 16))
  })
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'the connection failed'
