import { isObject } from '../../../core/schema/schema.ts'
import type { PathItem } from '../../kinds/facts/openapi.ts'
import type { Served } from '../../kinds/registry.ts'

export const schemaReference = (name: string): string => `#/components/schemas/${name}`

/** Turns what a path of the kind Probe offers into what the same path of another kind does. */
export function operationRewriter(
  { kind: { group, kind, namespaced }, version: { name: version } }: Served,
  references: Readonly<Record<string, string>>,
): (item: PathItem) => PathItem {
  const shortGroup = group.replace(/\.k8s\.io$/, '')
  const tags = [`${operationName(shortGroup)}_${operationName(version)}`]
  const prefix = capitalized(operationName(shortGroup)) + capitalized(operationName(version))
  const operationId = (of: string): string => {
    const [, verb = '', rest = ''] = /^([a-z]+)FactsLanyardTestV1(.*)$/.exec(of) ?? []
    const own = namespaced ? rest : rest.replace('Namespaced', '')
    return `${verb}${prefix}${capitalized(operationName(own.replace('Probe', () => kind)))}`
  }
  const description = (of: string): string =>
    of.replace(/\ba Probe$/, () => withArticle(kind)).replace(/\bProbe$/, () => kind)

  const rewrite = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.filter((one) => namespaced || !isNamespace(one)).map(rewrite)
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, member(key, inner)]))
  }
  const member = (key: string, value: unknown): unknown => {
    if (key === 'x-kubernetes-group-version-kind') return { group, version, kind }
    if (key === 'tags') return tags
    if (typeof value !== 'string') return rewrite(value)
    if (key === '$ref') return references[value] ?? value
    if (key === 'operationId') return operationId(value)
    return key === 'description' ? description(value) : value
  }
  return (item) => rewrite(item) as PathItem
}

const isNamespace = (parameter: unknown): boolean =>
  isObject(parameter) && parameter['in'] === 'path' && parameter['name'] === 'namespace'

const capitalized = (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1)

/** Letters and digits only; what follows anything else is capitalized, and no digit comes first. */
const operationName = (text: string): string =>
  text.replace(/^\d+/, '.').replace(/[^\p{L}\p{Nd}_]+(\p{L}|\p{Nd}|$)?/gu, (_, next = '') => next.toUpperCase())

/** In English, as the real server knows it: what ends in one s has none. */
function withArticle(kind: string): string {
  if (/(?:^|[^s])s$/.test(kind)) return kind
  return `${/^[aeiou]/i.test(kind) ? 'an' : 'a'} ${kind}`
}
