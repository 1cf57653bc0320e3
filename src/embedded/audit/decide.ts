import type { User } from '../authentication/user.ts'
import type { Attributes, PathAttributes, ResourceAttributes } from '../authorization/attributes.ts'
import { isAboutPath } from '../authorization/attributes.ts'
import type { Policy, ResourceFields, Rule, Wanted } from './policy.ts'
import { nothing } from './policy.ts'

/** What the log is to hold of a request: as the first rule that matches says, and nothing where none does. */
export function decide({ rules }: Policy, attributes: Attributes, user: User | undefined): Wanted {
  for (const rule of rules) if (matches(rule, attributes, user)) return rule.wanted
  return nothing
}

function matches(rule: Rule, attributes: Attributes, user: User | undefined): boolean {
  const { users = [], userGroups = [], verbs = [], namespaces = [], resources = [], nonResourceURLs = [] } = rule
  if (users.length > 0 && !(user && users.includes(user.name))) return false
  if (userGroups.length > 0 && !user?.groups.some((group) => userGroups.includes(group))) return false
  if (verbs.length > 0 && !verbs.includes(attributes.verb)) return false
  if (namespaces.length > 0 || resources.length > 0)
    return !isAboutPath(attributes) && isIn(namespaces, attributes) && isAmong(resources, attributes)
  return nonResourceURLs.length === 0 || (isAboutPath(attributes) && isUnder(nonResourceURLs, attributes))
}

/** What has no namespace is in the one without a name. */
const isIn = (namespaces: readonly string[], { namespace }: ResourceAttributes): boolean =>
  namespaces.length === 0 || namespaces.includes(namespace)

const isAmong = (resources: readonly ResourceFields[], attributes: ResourceAttributes): boolean =>
  resources.length === 0 || resources.some((resource) => covers(resource, attributes))

function covers(fields: ResourceFields, { group, resource, subresource, name }: ResourceAttributes): boolean {
  const { group: ownGroup = '', resources = [], resourceNames = [] } = fields
  if (ownGroup !== group) return false
  if (resources.length === 0) return true
  if (resourceNames.length > 0 && !resourceNames.includes(name)) return false
  const whole = subresource === '' ? resource : `${resource}/${subresource}`
  return resources.some(
    (pattern) =>
      pattern === '*' ||
      pattern === whole ||
      pattern === `${resource}/*` ||
      (subresource !== '' && pattern === `*/${subresource}`),
  )
}

const isUnder = (urls: readonly string[], { path }: PathAttributes): boolean =>
  urls.some((url) => url === path || (url.endsWith('*') && path.startsWith(url.slice(0, -1))))
