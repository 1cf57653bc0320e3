import type { Failure } from '../../core/failure.ts'
import type { RestRoute } from '../../fleet/rest.ts'
import { failures } from '../failures.ts'

/**
 * Whether a path as it came could mean something else to whoever decodes or normalises it: dot segments, encoded
 * slashes and dots, backslashes, control characters, broken escapes. What we serve needs none of them.
 */
export function checkRawPath(path: string): Failure | undefined {
  const decoded = decodedOf(path)
  const isAmbiguous =
    decoded === undefined ||
    /%(?:2e|2f|5c|25|00)/i.test(path) ||
    /[\\\p{Cc}]/u.test(decoded) ||
    path.split('/').some((segment) => segment === '.' || segment === '..') ||
    path.includes('//')
  if (!isAmbiguous) return undefined
  return failures.REST_BAD_PATH({
    field: 'a segment',
    rule: 'dot segments, encoded slashes and the like are not taken',
  })
}

function decodedOf(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}

/** `/clusters/{cluster_id}` as the router has it: `/clusters/:cluster_id`. */
export const routerPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1')

export const paramsOf = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string)

/** The verbs that a path takes; none when it is no path of ours. */
export function verbsAt(routes: readonly Pick<RestRoute, 'method' | 'path'>[]): (path: string) => string[] {
  const shapes = routes.map(({ method, path }) => ({
    method,
    shape: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }))
  return (path) => [...new Set(shapes.filter(({ shape }) => shape.test(path)).map(({ method }) => method))]
}
