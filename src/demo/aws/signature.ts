import { createHmac, timingSafeEqual } from 'node:crypto'
import { refuse } from './refusals.ts'
import type { RawRequest } from './request.ts'
import { queryValue, sha256 } from './request.ts'

/** Signature Version 4 as a call carries it, in its headers or in its query. */
export interface Signature {
  isPresigned: boolean
  accessKeyId: string
  /** `20260101/eu-west-1/sts/aws4_request` */
  scope: { text: string; date: string; region: string; service: string }
  /** `20260101T000000Z` */
  date: string
  signedHeaders: string[]
  signature: string
  sessionToken: string | undefined
}

const algorithm = 'AWS4-HMAC-SHA256'

/** Undefined for a call that is not signed. */
export function signatureIn(request: RawRequest): Signature | undefined {
  const { authorization } = request.headers
  if (authorization !== undefined) return inHeader(request, authorization)
  return queryValue(request, 'X-Amz-Algorithm') === undefined ? undefined : inQuery(request)
}

function inHeader({ headers }: RawRequest, authorization: string): Signature {
  const [scheme, ...rest] = authorization.split(' ')
  if (scheme !== algorithm) refuse('SIGNATURE_INCOMPLETE', { part: `the algorithm ${algorithm}` })
  const parts = Object.fromEntries(
    rest
      .join('')
      .split(',')
      .map((part) => part.split(/=(.*)/s)),
  )
  return {
    isPresigned: false,
    ...credentialOf(parts['Credential']),
    date: dateOf(headers['x-amz-date']),
    signedHeaders: given(parts['SignedHeaders'], 'SignedHeaders').split(';'),
    signature: given(parts['Signature'], 'Signature'),
    sessionToken: headers['x-amz-security-token'],
  }
}

function inQuery(request: RawRequest): Signature {
  const value = (name: string) => queryValue(request, name)
  if (value('X-Amz-Algorithm') !== algorithm) refuse('SIGNATURE_INCOMPLETE', { part: `the algorithm ${algorithm}` })
  return {
    isPresigned: true,
    ...credentialOf(value('X-Amz-Credential')),
    date: dateOf(value('X-Amz-Date')),
    signedHeaders: given(value('X-Amz-SignedHeaders'), 'SignedHeaders').split(';'),
    signature: given(value('X-Amz-Signature'), 'Signature'),
    sessionToken: value('X-Amz-Security-Token'),
  }
}

const given = (value: string | undefined, part: string): string =>
  value || refuse('SIGNATURE_INCOMPLETE', { part: `'${part}'` })

function credentialOf(credential: string | undefined): Pick<Signature, 'accessKeyId' | 'scope'> {
  const [accessKeyId = '', ...scope] = given(credential, 'Credential').split('/')
  const [date = '', region = '', service = '', end] = scope
  if (scope.length !== 4 || end !== 'aws4_request') refuse('SIGNATURE_INCOMPLETE', { part: "a valid 'Credential'" })
  return { accessKeyId, scope: { text: scope.join('/'), date, region, service } }
}

function dateOf(date: string | undefined): string {
  return date !== undefined && /^\d{8}T\d{6}Z$/.test(date)
    ? date
    : refuse('SIGNATURE_INCOMPLETE', { part: "a valid 'X-Amz-Date'" })
}

export const isSignedWith = (secret: string, request: RawRequest, signature: Signature): boolean => {
  const [ours, theirs] = [Buffer.from(sign(secret, request, signature)), Buffer.from(signature.signature)]
  return ours.length === theirs.length && timingSafeEqual(ours, theirs)
}

function sign(secret: string, request: RawRequest, { scope, date, signedHeaders, isPresigned }: Signature): string {
  const query = request.query.filter(([name]) => !(isPresigned && name === 'X-Amz-Signature'))
  const canonical = [
    request.method,
    canonicalPath(request.path),
    query
      .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
      .sort()
      .join('&'),
    ...signedHeaders.map((name) => `${name}:${(request.headers[name] ?? '').trim().replace(/\s+/g, ' ')}`),
    '',
    signedHeaders.join(';'),
    sha256(request.body),
  ].join('\n')
  const text = [algorithm, date, scope.text, sha256(canonical)].join('\n')
  const key = [scope.date, scope.region, scope.service, 'aws4_request'].reduce<Buffer>(
    (from, part) => createHmac('sha256', from).update(part).digest(),
    Buffer.from(`AWS4${secret}`),
  )
  return createHmac('sha256', key).update(text).digest('hex')
}

/** Every service but S3 signs the path encoded once more than it is sent. */
function canonicalPath(path: string): string {
  return path.split('/').map(encoded).join('/') || '/'
}

const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
