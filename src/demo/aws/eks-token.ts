/** What EKS does with a bearer token: it is a presigned URL of GetCallerIdentity, checked before it is believed. */
import type { Caller } from './authenticate.ts'
import { authenticate, signatureMinutes, timeOf } from './authenticate.ts'
import { AwsRefusal } from './refusals.ts'
import type { RawRequest } from './request.ts'
import { queryPairs, queryValue } from './request.ts'
import { signatureIn } from './signature.ts'
import type { Cluster, World } from './state.ts'

const prefix = 'k8s-aws-v1.'
const longestToken = 4096
const longestExpirySeconds = 900
const domains = ['amazonaws.com', 'amazonaws.com.cn', 'amazonaws.eu', 'api.aws']
const isolatedDomains = ['c2s.ic.gov', 'sc2s.sgov.gov', 'cloud.adc-e.uk', 'csp.hci.ic.gov']
const anyDomain = [...domains, ...isolatedDomains].join('|').replaceAll('.', '\\.')
const stsHost = new RegExp(`^sts(?:-fips)?(?:\\.([a-z]+(?:-[a-z]+)+-\\d+))?\\.(?:${anyDomain})$`)
const clusterHeader = 'x-k8s-aws-id'
const allowedParameters = [
  'Action',
  'Version',
  'X-Amz-Algorithm',
  'X-Amz-Credential',
  'X-Amz-Date',
  'X-Amz-Expires',
  'X-Amz-Security-Token',
  'X-Amz-Signature',
  'X-Amz-SignedHeaders',
]

interface Token {
  url: URL
  request: RawRequest
}

/** Ordered: the first sentence that applies is the reason. `ownHost` is the stand-in's, which may be asked over http. */
const checks: readonly ((token: Token, world: World, ownHost: string) => string | false)[] = [
  ({ url }, _, own) => url.host !== own && !stsHost.test(url.host) && `its host ${url.host} is not one of STS`,
  ({ url }, _, own) => url.protocol !== 'https:' && url.host !== own && 'its URL is not https',
  ({ url, request }, _, own) =>
    url.host !== own && regionIsWrong(url.host, request) && 'it is signed for another region',
  ({ url }) => url.pathname !== '/' && 'its path is not /',
  ({ request }) => unknownParameter(request),
  ({ request }) => queryValue(request, 'Action') !== 'GetCallerIdentity' && 'its action is not GetCallerIdentity',
  ({ request }) => queryValue(request, 'Version') !== '2011-06-15' && 'its version is not 2011-06-15',
  ({ request }) => expiryIsWrong(request) && `its X-Amz-Expires is not between 1 and ${longestExpirySeconds}`,
  ({ request }) => !headersOf(request).includes(clusterHeader) && `${clusterHeader} is not a signed header`,
  ({ request }, { clock }) => isOver(request, clock.now()) && `it was signed more than ${signatureMinutes} minutes ago`,
]

/** The host without a region is that of us-east-1. */
function regionIsWrong(host: string, request: RawRequest): boolean {
  const [, region = 'us-east-1'] = stsHost.exec(host) ?? []
  return (queryValue(request, 'X-Amz-Credential') ?? '').split('/')[2] !== region
}

/** STS itself pays no heed to X-Amz-Expires of this call: a signature counts for 15 minutes. */
function isOver(request: RawRequest, now: Date): boolean {
  const signedAt = timeOf(queryValue(request, 'X-Amz-Date') ?? '').getTime()
  return !(now.getTime() <= signedAt + signatureMinutes * 60_000)
}

const headersOf = (request: RawRequest): string[] => (queryValue(request, 'X-Amz-SignedHeaders') ?? '').split(';')

function expiryIsWrong(request: RawRequest): boolean {
  const seconds = Number(queryValue(request, 'X-Amz-Expires'))
  return !(Number.isInteger(seconds) && seconds >= 1 && seconds <= longestExpirySeconds)
}

function unknownParameter({ query }: RawRequest): string | false {
  const names = query.map(([name]) => name)
  const other = names.find((name, index) => !allowedParameters.includes(name) || names.indexOf(name) !== index)
  return other !== undefined && `its parameter ${other} is not one of a token, or there twice`
}

export type TokenVerdict = { caller: Caller } | { refused: string }

export function callerOfToken(world: World, ownHost: string, token: string, clusterName: string): TokenVerdict {
  if (token.length > longestToken) return { refused: `it is longer than ${longestToken} characters` }
  if (!token.startsWith(prefix)) return { refused: `it does not begin with ${prefix}` }
  const text = token.slice(prefix.length)
  if (!/^[\w-]+$/.test(text)) return { refused: 'it is not base64url without padding' }
  const url = URL.parse(Buffer.from(text, 'base64url').toString())
  if (!url) return { refused: 'it holds no URL' }
  const headers = { host: url.host, [clusterHeader]: clusterName }
  const request = { method: 'GET', path: url.pathname, query: queryPairs(url.search.slice(1)), headers, body: '' }
  for (const check of checks) {
    const refused = check({ url, request }, world, ownHost)
    if (refused) return { refused }
  }
  return judged(world, request)
}

function judged(world: World, request: RawRequest): TokenVerdict {
  try {
    const signature = signatureIn(request)
    if (!signature) return { refused: 'it is not signed' }
    if (signature.scope.service !== 'sts') return { refused: 'it is not signed for sts' }
    return { caller: authenticate(world, request, signature) }
  } catch (error) {
    if (error instanceof AwsRefusal) return { refused: `STS: ${error.message}` }
    throw error
  }
}

/** Whom the API of the cluster takes a caller for. ConfigMap aws-auth is the cluster's own: it is not asked here. */
export function userOfCaller(
  cluster: Cluster,
  caller: Caller,
): { username: string; groups: string[] } | { refused: string } {
  if (cluster.authenticationMode === 'CONFIG_MAP')
    return { refused: 'the cluster has no access entries, only aws-auth' }
  const entry = cluster.entries.get(caller.principal.arn)
  if (!entry) return { refused: `no access entry for ${caller.principal.arn}` }
  if (entry.principalId !== caller.principal.id)
    return { refused: `the access entry is for a deleted principal that also was ${caller.principal.arn}` }
  const session = (caller.arn.split('/').at(-1) ?? '').replaceAll('@', '-')
  const username = entry.username.replaceAll('{{SessionName}}', session).replaceAll('{{AccountID}}', caller.account.id)
  return { username, groups: [...entry.groups] }
}
