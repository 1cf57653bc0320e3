import { arch, platform } from 'node:os'
import type { Metrics } from '../../core/metrics.ts'
import type { IssuerDocuments } from '../authentication/issuer-documents.ts'
import type { User } from '../authentication/user.ts'
import { needEverything, snapshotAnswer, snapshotPath } from '../care/snapshot-answer.ts'
import { versionInfo } from '../kinds/facts/facts.ts'
import { answerAggregated } from '../requests/aggregated-discovery.ts'
import type { Answer } from '../requests/answer.ts'
import { objectAnswer, pageNotFound } from '../requests/answer.ts'
import type { ApiRequest } from '../requests/body.ts'
import { headerOf } from '../requests/body.ts'
import { apiVersionsDocument, groupDocumentOf, groupsDocument, resourcesDocument } from '../requests/discovery.ts'
import { answerIssuer, checkTakes } from '../requests/issuer.ts'
import { negotiate } from '../requests/negotiate.ts'
import { answerOpenApi } from '../requests/openapi/answer-openapi.ts'
import type { RequestInfo } from '../requests/request-info.ts'
import type { ResourceDeps } from '../requests/resource-requests.ts'
import { answerResource } from '../requests/resource-requests.ts'
import { methodNotAllowed, noSuchPath } from '../status.ts'
import type { HealthCheck } from './health.ts'
import { answerHealth } from './health.ts'

export interface RouteDeps extends ResourceDeps {
  health: readonly HealthCheck[]
  metrics: Metrics
  issuer: IssuerDocuments
  /** Host and port, as clients reach it. */
  address(): string
}

const version = {
  ...versionInfo,
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: `node ${process.version}`,
  compiler: 'node',
  platform: `${platform()}/${arch() === 'x64' ? 'amd64' : arch()}`,
}

/** What is behind a path, for somebody who may ask. */
export async function route(
  deps: RouteDeps,
  request: ApiRequest,
  info: RequestInfo,
  user: User,
  warn: (message: string) => void,
): Promise<Answer> {
  if (info.isResource) return answerResource(deps, request, info, user, warn)
  const health = answerHealth(deps.health, request.path, request.query)
  if (health) return health
  const ofIssuer = answerIssuer(deps.issuer, request, deps.address())
  if (ofIssuer) return ofIssuer
  if (request.path === snapshotPath && request.method === 'GET') {
    await needEverything(deps.authorizer, user)
    return snapshotAnswer(deps.store)
  }
  if (request.path === '/metrics')
    return { code: 200, body: await deps.metrics.text(), contentType: deps.metrics.contentType }
  const other = answerAggregated(deps.registry, request) ?? (await answerOpenApi(deps, request))
  if (other) return other
  const document = documentAt(deps, request.path)
  if (!document) return unknownPath(deps, request.path)
  if (request.path === '/') return writtenOut(document)
  if (request.method !== 'GET' && !groups.test(request.path)) throw methodNotAllowed()
  if (document === version) {
    checkTakes(request, 'application/json')
    return writtenOut(document)
  }
  const form = negotiate(headerOf(request, 'accept'), request.query, headerOf(request, 'user-agent') ?? '')
  return objectAnswer(200, document, form)
}

/** What is told of groups is told whatever the method, as on the real server. */
const groups = /^\/apis(\/[^/]+)?\/?$/

/** As the real server writes what is none of its kinds. */
const writtenOut = (document: object): Answer => ({
  code: 200,
  body: JSON.stringify(document, null, 2),
  contentType: 'application/json',
})

function documentAt({ registry, address }: RouteDeps, path: string): object | undefined {
  if (path.includes('//')) return undefined
  const [first, second, third, ...more] = path.split('/').filter((part) => part !== '')
  if (more.length > 0) return undefined
  if (first === undefined) return { paths: pathsOf({ registry }) }
  if (first === 'version' && second === undefined) return version
  if (first === 'api') {
    if (third !== undefined) return undefined
    return second === undefined ? apiVersionsDocument(address()) : resourcesDocument(registry, '', second)
  }
  if (first !== 'apis') return undefined
  if (second === undefined) return groupsDocument(registry)
  return third === undefined ? groupDocumentOf(registry, second) : resourcesDocument(registry, second, third)
}

/** Under a group that is served, a version that is not is missing in the words of the API. */
function unknownPath({ registry }: RouteDeps, path: string): Answer {
  const [, first, second] = path.split('/')
  const isGroup = first === 'apis' && second !== '' && registry.all().some(({ group }) => group === second)
  if (first === 'api' || isGroup) throw noSuchPath()
  return pageNotFound()
}

function pathsOf({ registry }: Pick<RouteDeps, 'registry'>): string[] {
  const groups = groupsDocument(registry).groups.flatMap(({ name, versions }) => [
    `/apis/${name}`,
    ...versions.map(({ groupVersion }) => `/apis/${groupVersion}`),
  ])
  return [
    '/.well-known/openid-configuration',
    '/api',
    '/api/v1',
    '/apis',
    '/apis/',
    ...groups,
    '/healthz',
    '/livez',
    '/metrics',
    '/openapi/v2',
    '/openapi/v3',
    '/openapi/v3/',
    '/openid/v1/jwks',
    '/readyz',
    '/version',
  ].sort()
}
