import { failures } from '../failures.ts'
import type { KubeRequest } from '../kube.ts'
import type { KubeObject, Resource } from '../objects.ts'

const plain = /^[A-Za-z0-9._~:@-]+$/

/** A name as one segment of a path. What would change the path's meaning is refused, as the server does, before any request. */
export function segment(what: string, name: unknown): string {
  if (typeof name !== 'string' || name === '' || name === '.' || name === '..' || /[/%\p{Cc}]/u.test(name))
    throw failures.KUBE_BAD_NAME({ what, name: JSON.stringify(name) ?? 'undefined' })
  return plain.test(name) ? name : encodeURIComponent(name)
}

/** Of the collection in one namespace, or in all of them. */
export function collectionPath(
  { group, version, plural }: Resource<KubeObject>,
  namespace: string | undefined,
): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
  return namespace === undefined
    ? `${root}/${plural}`
    : `${root}/namespaces/${segment('namespace', namespace)}/${plural}`
}

/** What is asked for, without names: the label of metrics. */
export const targetName = ({ group, plural }: Resource<KubeObject>): string =>
  group === '' ? plural : `${plural}.${group}`

export function queryString(query: NonNullable<KubeRequest['query']>): string {
  let text = ''
  for (const name in query) {
    const value = query[name]
    if (value !== undefined) text += `${text === '' ? '?' : '&'}${name}=${encodeURIComponent(value)}`
  }
  return text
}

/** A path given whole: absolute, with nothing in it that could climb out of the server's prefix. */
export function checkedPath(path: string): string {
  const [bare = ''] = path.split('?', 1)
  const climbs = bare.split('/').some((part) => /^(\.|%2e){1,2}$/i.test(part))
  if (!path.startsWith('/') || climbs || !/^[!"$-[\]-~]+$/.test(path))
    throw failures.KUBE_BAD_NAME({ what: 'path', name: JSON.stringify(path) })
  return path
}
