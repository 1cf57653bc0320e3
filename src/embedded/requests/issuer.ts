import type { IssuerDocuments } from '../authentication/issuer-documents.ts'
import { configurationPath, keysPath } from '../authentication/issuer-documents.ts'
import { ApiFailure, methodNotAllowed } from '../status.ts'
import type { WholeAnswer } from './answer.ts'
import type { ApiRequest } from './body.ts'
import { headerOf } from './body.ts'

const cached = { 'cache-control': 'public, max-age=3600' }

/** What the issuer of service account tokens tells of itself; undefined for another path. */
export function answerIssuer(
  documents: IssuerDocuments,
  request: Pick<ApiRequest, 'method' | 'path' | 'headers'>,
  address: string,
): WholeAnswer | undefined {
  const path = request.path.replace(/\/$/, '')
  if (path !== configurationPath && path !== keysPath) return undefined
  if (request.method !== 'GET') throw methodNotAllowed()
  const isKeys = path === keysPath
  const contentType = isKeys ? 'application/jwk-set+json' : 'application/json'
  checkTakes(request, contentType)
  const document = isKeys ? documents.keys : documents.configuration(address)
  return { code: 200, body: JSON.stringify(document), contentType, headers: cached }
}

/** Throws 406 for a client that takes another type only. */
export function checkTakes(request: Pick<ApiRequest, 'headers'>, contentType: string): void {
  if (!takes(headerOf(request, 'accept'), contentType))
    throw new ApiFailure(406, 'NotAcceptable', `406: Not Acceptable\n\nAvailable representations: ${contentType}`, {})
}

/** As the router of the real server reads it: by whole types, without qualities. */
const takes = (accept: string | undefined, contentType: string): boolean =>
  accept === undefined ||
  accept.split(',').some((part) => ['*/*', contentType].includes(part.split(';')[0]?.trim() ?? ''))
