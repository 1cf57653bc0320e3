import type { Clock } from '../../../core/clock.ts'
import type { Registry } from '../../kinds/registry.ts'
import type { WholeAnswer } from '../answer.ts'
import type { ApiRequest } from '../body.ts'
import { headerOf } from '../body.ts'
import { isModifiedSince, matchesTag } from '../conditional.ts'
import type { Clause } from '../negotiate.ts'
import { clausesOf } from '../negotiate.ts'
import type { Published, PublishedWhole } from './publication.ts'
import { addressOf, publicationOf } from './publication.ts'

const root = '/openapi/v3'
const versionTwo = '/openapi/v2'
const cachedForMs = 365 * 24 * 3_600_000

/** Undefined for a path that is none of OpenAPI's. Whatever the method, the answer is that to a GET, as on the real server. */
export async function answerOpenApi(
  { registry, clock }: { registry: Registry; clock: Clock },
  request: ApiRequest,
): Promise<WholeAnswer | undefined> {
  const { path } = request
  if (path !== root && path !== versionTwo && !path.startsWith(`${root}/`)) return undefined
  const publication = await publicationOf(registry, clock)
  if (path === versionTwo) return answerVersionTwo(await publication.whole(), request)
  if (path === root) return answerIndex(await publication.index(), request, clock.now())
  const name = path.slice(root.length + 1)
  const published = publication.at(name)
  return published ? answerDocument(name, published, request, clock.now()) : bare(404)
}

const bare = (code: number, headers: Record<string, string> = {}, contentType = ''): WholeAnswer => ({
  ...{ code, body: '', contentType, headers },
})

/** Its type is what the real server says: nobody has told that one, and it guesses. */
function answerIndex(index: object, request: ApiRequest, now: Date): WholeAnswer {
  const headers = { 'last-modified': httpDate(now) }
  if (headerOf(request, 'if-none-match')?.trim() === '*') return bare(304, headers)
  if (!isModifiedSince(headerOf(request, 'if-modified-since'), now)) return bare(304, headers)
  return { ...whole(JSON.stringify(index), headers), contentType: 'text/plain; charset=utf-8' }
}

function answerDocument(name: string, published: Published, request: ApiRequest, now: Date): WholeAnswer {
  if (!acceptsJson(headerOf(request, 'accept'))) return bare(406, { vary: 'Accept' })
  const tagged = { vary: 'Accept', etag: `"${published.hash}"` }
  const asked = request.query.get('hash') ?? ''
  if (asked !== '' && asked !== published.hash)
    return bare(301, { ...tagged, location: addressOf(name, published) }, 'application/json')
  const headers = { ...tagged, ...(asked !== '' && forEver(now)) }
  if (isCurrent(published, request)) return bare(304, headers)
  return whole(published.text(), { ...headers, 'last-modified': httpDate(published.since) })
}

const protobufOfVersionTwo = [
  'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
  'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
] as const

/** In one of the two forms, the one that a client likes best. */
function answerVersionTwo(published: PublishedWhole, request: ApiRequest): WholeAnswer {
  const headers = { vary: 'Accept', etag: `"${published.hash}"`, 'last-modified': httpDate(published.since) }
  const [best] = clausesOf(headerOf(request, 'accept')).filter((clause) => isJson(clause) || isProtobuf(clause))
  if (!best) return bare(406, { vary: 'Accept' })
  if (isCurrent(published, request)) return bare(304, headers)
  if (isJson(best)) return { code: 200, body: published.text(), contentType: 'application/json', headers }
  return { code: 200, body: '', bytes: published.protobuf(), contentType: protobufOfVersionTwo[0], headers }
}

const isProtobuf = ({ media }: Clause): boolean => (protobufOfVersionTwo as readonly string[]).includes(media)

const whole = (body: string, headers: Record<string, string>): WholeAnswer => ({
  ...{ code: 200, body, contentType: 'application/json', headers, isSentAsItIs: true },
})

/** Its protobuf form is not served: clients that accept both are given JSON. */
const acceptsJson = (accept: string | undefined): boolean => clausesOf(accept).some(isJson)

const isJson = ({ media }: Clause): boolean =>
  media === 'application/json' || media === 'application/*' || media.startsWith('*/')

/** What stands under the hash of its text never changes. */
const forEver = (now: Date) => ({
  'cache-control': 'public, immutable',
  expires: httpDate(new Date(now.getTime() + cachedForMs)).replace('GMT', 'UTC'),
})

function isCurrent({ hash, since }: Published, request: ApiRequest): boolean {
  const tags = headerOf(request, 'if-none-match')
  if (tags !== undefined) return matchesTag(tags, `"${hash}"`)
  return !isModifiedSince(headerOf(request, 'if-modified-since'), since)
}

const httpDate = (date: Date): string => date.toUTCString()
