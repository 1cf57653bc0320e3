import { booleanIn } from './query.ts'

/** What a request is about, read from its method and path alone: what authorization is asked with. */
export type RequestInfo = ResourceInfo | PathInfo

export interface ResourceInfo {
  readonly isResource: true
  readonly verb: string
  readonly group: string
  readonly version: string
  readonly namespace: string
  readonly plural: string
  readonly name: string
  readonly subresource: string
  /** True when the path leads into a namespace first. A namespace itself is in none, though the path names it. */
  readonly isWithin: boolean
  /** True when there is more behind the subresource, which nothing here serves. */
  readonly hasMore: boolean
  readonly path: string
}

export interface PathInfo {
  readonly isResource: false
  /** The method, in lower case. */
  readonly verb: string
  readonly path: string
}

const verbs: ReadonlyMap<string, string> = new Map([
  ['POST', 'create'],
  ['GET', 'get'],
  ['HEAD', 'get'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
])

/** Subresources of a namespace; anything else behind its name is a resource in it. */
const ofNamespaces = new Set(['status', 'finalize'])

/** More than any resource has. */
const mostParts = 16

export function readRequestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  const parts = path.split('/', mostParts).filter((part) => part !== '')
  const isCore = parts[0] === 'api'
  const fixed = isCore ? 2 : 3
  if ((!isCore && parts[0] !== 'apis') || parts.length <= fixed || path.includes('//'))
    return { isResource: false, verb: method.toLowerCase(), path }
  const group = isCore ? '' : (parts[1] ?? '')
  const version = parts[fixed - 1] ?? ''
  let rest = parts.slice(fixed)
  let verb = verbs.get(method) ?? ''
  if (rest[0] === 'watch' && rest.length > 1) {
    verb = 'watch'
    rest = rest.slice(1)
  }
  let namespace = ''
  let isWithin = false
  if (rest[0] === 'namespaces' && rest.length > 1) {
    namespace = rest[1] ?? ''
    isWithin = rest.length > 2 && !ofNamespaces.has(rest[2] ?? '')
    if (isWithin) rest = rest.slice(2)
  }
  const [plural = '', name = '', subresource = ''] = rest
  if (name === '' && verb === 'get') verb = booleanIn(query, 'watch') ? 'watch' : 'list'
  if (name === '' && verb === 'delete') verb = 'deletecollection'
  return {
    isResource: true,
    verb,
    group,
    version,
    namespace,
    plural,
    name,
    subresource,
    isWithin,
    hasMore: rest.length > 3,
    path,
  }
}
