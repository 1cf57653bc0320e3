import { createHash, createHmac } from 'node:crypto'
import type { Secret } from '../../../../core/secret.ts'

/**
 * AWS Signature Version 4 as far as STS needs it. By hand, not by the SDK's signer: a Kubernetes client starts this
 * program for each credential, and the signer alone takes longer to load than all of this. Paths are signed as they
 * stand, so that only those without anything to encode will do; STS has one, `/`.
 */

/** Keys of AWS: somebody's own, or of a session, which has a token and an end. */
export interface AwsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: Secret
  readonly sessionToken?: Secret
  /** Absent: they do not end by themselves. */
  readonly expiresAt?: Date
}

export interface Signable {
  readonly method: 'GET' | 'POST'
  readonly url: URL
  /** Besides `host`, which is always signed. Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface Signing {
  readonly credentials: AwsCredentials
  readonly service: string
  readonly region: string
  readonly at: Date
}

const algorithm = 'AWS4-HMAC-SHA256'

export interface PresignOptions {
  readonly expiresSeconds: number
  /** For services that do not look at the body of what is presigned, such as S3. Default: the digest of the body. */
  readonly payloadHash?: string
}

/** The URL with a signature in its query; who calls it has to send the signed headers. It is as secret as a password. */
export function presign(request: Signable, signing: Signing, options: PresignOptions): URL {
  const { credentials } = signing
  const headers = { ...request.headers, host: request.url.host }
  const url = new URL(request.url)
  const query = [
    ...url.searchParams,
    ['X-Amz-Algorithm', algorithm],
    ['X-Amz-Credential', `${credentials.accessKeyId}/${scopeOf(signing)}`],
    ['X-Amz-Date', stamp(signing.at)],
    ['X-Amz-Expires', String(options.expiresSeconds)],
    ['X-Amz-SignedHeaders', namesOf(headers)],
    ...(credentials.sessionToken ? [['X-Amz-Security-Token', credentials.sessionToken.reveal()]] : []),
  ] as [string, string][]
  const payloadHash = options.payloadHash ?? sha256(request.body)
  const signature = signatureOf(canonical(request, query, headers, payloadHash), signing)
  url.search = `${canonicalQuery(query)}&X-Amz-Signature=${signature}`
  return url
}

/** The headers to send, with the one that carries the signature. */
export function signedHeaders(request: Signable, signing: Signing): Record<string, string> {
  const { accessKeyId, sessionToken } = signing.credentials
  const headers = {
    ...request.headers,
    host: request.url.host,
    'x-amz-date': stamp(signing.at),
    ...(sessionToken && { 'x-amz-security-token': sessionToken.reveal() }),
  }
  const text = canonical(request, [...request.url.searchParams], headers, sha256(request.body))
  const authorization = [
    `${algorithm} Credential=${accessKeyId}/${scopeOf(signing)}`,
    `SignedHeaders=${namesOf(headers)}`,
    `Signature=${signatureOf(text, signing)}`,
  ].join(', ')
  return { ...headers, authorization }
}

type Headers = Readonly<Record<string, string>>

const canonical = (
  { method, url }: Signable,
  query: readonly (readonly [string, string])[],
  headers: Headers,
  payloadHash: string,
): string =>
  [method, url.pathname, canonicalQuery(query), canonicalHeaders(headers), namesOf(headers), payloadHash].join('\n')

/** Each line with its newline, as the format has it. */
const canonicalHeaders = (headers: Headers): string =>
  sortedNames(headers)
    .map((name) => `${name}:${headers[name]?.trim().replace(/ +/g, ' ')}\n`)
    .join('')

const namesOf = (headers: Headers): string => sortedNames(headers).join(';')

const sortedNames = (headers: Headers): string[] => Object.keys(headers).sort()

const canonicalQuery = (query: readonly (readonly [string, string])[]): string =>
  query
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort(byBytes)
    .join('&')

/** By name and then by value; = comes after the digits and before the letters, so that whole pairs do not compare as names do. */
function byBytes(a: string, b: string): number {
  const [[nameA = '', valueA = ''], [nameB = '', valueB = '']] = [a.split('='), b.split('=')]
  return compare(nameA, nameB) || compare(valueA, valueB)
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** RFC 3986: `encodeURIComponent` leaves five more characters alone. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)

function signatureOf(canonicalRequest: string, signing: Signing): string {
  const { credentials, at, region, service } = signing
  const toSign = [algorithm, stamp(at), scopeOf(signing), sha256(canonicalRequest)].join('\n')
  const key = [day(at), region, service, 'aws4_request'].reduce<string | Buffer>(
    (secret, part) => hmac(secret, part),
    `AWS4${credentials.secretAccessKey.reveal()}`,
  )
  return hmac(key, toSign).toString('hex')
}

const scopeOf = ({ at, region, service }: Signing): string => [day(at), region, service, 'aws4_request'].join('/')

/** `20150830T123600Z` */
const stamp = (at: Date): string => at.toISOString().replace(/[-:]|\.\d+/g, '')
const day = (at: Date): string => stamp(at).slice(0, 8)

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()
