import type { PolicyRule } from 'kubernetes-types/rbac/v1.d.ts'
import type { Attributes } from './attributes.ts'
import { isAboutPath } from './attributes.ts'

/** Whether one rule of a role lets this pass. */
export function allows(rule: PolicyRule, attributes: Attributes): boolean {
  if (!holds(rule.verbs, attributes.verb)) return false
  if (isAboutPath(attributes)) return matchesPath(rule.nonResourceURLs, attributes.path)
  const { group, resource, subresource, name } = attributes
  return (
    holds(rule.apiGroups, group) &&
    matchesResource(rule.resources, resource, subresource) &&
    matchesName(rule.resourceNames, name)
  )
}

const holds = (list: readonly string[] | undefined, value: string): boolean =>
  list?.some((item) => item === '*' || item === value) ?? false

function matchesResource(list: readonly string[] | undefined, resource: string, subresource: string): boolean {
  if (!list) return false
  if (subresource === '') return holds(list, resource)
  const [whole, anyWithSub] = [`${resource}/${subresource}`, `*/${subresource}`]
  return list.some((item) => item === '*' || item === whole || item === anyWithSub)
}

const matchesName = (list: readonly string[] | undefined, name: string): boolean =>
  !list || list.length === 0 || list.includes(name)

const matchesPath = (list: readonly string[] | undefined, path: string): boolean =>
  list?.some((item) => coversPath(item, path)) ?? false

/** `*` covers all, `/logs/*` what begins with `/logs/`. */
export const coversPath = (pattern: string, path: string): boolean =>
  pattern === '*' || pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.replace(/\*+$/, '')))
