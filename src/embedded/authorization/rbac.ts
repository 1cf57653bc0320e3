import type { PolicyRule } from 'kubernetes-types/rbac/v1.d.ts'
import type { User } from '../authentication/user.ts'
import { goQuote } from '../go-quote.ts'
import type { Attributes, Decision } from './attributes.ts'
import { isAboutPath } from './attributes.ts'
import type { Grant, RbacIndex } from './rbac-index.ts'
import { allows } from './rule-match.ts'

/** Rules that apply to somebody in a namespace, and what went wrong while they were gathered. */
export interface ResolvedRules {
  readonly rules: readonly PolicyRule[]
  /** Roles that are bound and not there, in Kubernetes' words. */
  readonly errors: readonly string[]
}

const noOpinion: Decision = { verdict: 'no opinion', reason: '' }

/** What the roles and bindings say. Never denies: who is not allowed may be allowed by somebody else. */
export function decideByRbac(index: RbacIndex, attributes: Attributes): Decision {
  const { user } = attributes
  const namespace = isAboutPath(attributes) ? '' : attributes.namespace
  const missing: Grant[] = []
  const found =
    allowing(index, '', user, attributes, missing) ??
    (namespace === '' ? undefined : allowing(index, namespace, user, attributes, missing))
  if (found) return found.allowed
  return missing.length === 0
    ? noOpinion
    : { verdict: 'no opinion', reason: `RBAC: ${aggregate(missing.map(notThere))}` }
}

function allowing(
  index: RbacIndex,
  scope: string,
  user: User,
  attributes: Attributes,
  missing: Grant[],
): Grant | undefined {
  const found = firstAllowing(index, index.ofUser(scope, user.name), attributes, missing)
  if (found) return found
  for (const group of user.groups) {
    const byGroup = firstAllowing(index, index.ofGroup(scope, group), attributes, missing)
    if (byGroup) return byGroup
  }
  return undefined
}

function firstAllowing(
  index: RbacIndex,
  grants: readonly Grant[],
  attributes: Attributes,
  missing: Grant[],
): Grant | undefined {
  for (const grant of grants) {
    const rules = index.rulesOf(grant)
    if (!rules) missing.push(grant)
    else for (const rule of rules) if (allows(rule, attributes)) return grant
  }
  return undefined
}

/** All rules that apply to a user in a namespace, with those that apply everywhere. */
export function rulesFor(index: RbacIndex, user: User, namespace: string): ResolvedRules {
  const [rules, missing, seen]: [PolicyRule[], Grant[], Set<string>] = [[], [], new Set()]
  for (const scope of namespace === '' ? [''] : ['', namespace])
    for (const grants of [index.ofUser(scope, user.name), ...user.groups.map((group) => index.ofGroup(scope, group))])
      for (const grant of grants) {
        const binding = `${grant.namespace}/${grant.binding}`
        if (seen.has(binding)) continue
        seen.add(binding)
        const found = index.rulesOf(grant)
        if (found) rules.push(...found)
        else missing.push(grant)
      }
  return { rules, errors: [...new Set(missing.map(notThere))] }
}

const notThere = ({ role }: Grant): string => roleNotFound(role.kind, role.name)

export const roleNotFound = (kind: string, name: string): string =>
  `${kind.toLowerCase()}.rbac.authorization.k8s.io ${goQuote(name)} not found`

/** Several errors as one, as Kubernetes writes them: in brackets when there are two or more, each once. */
export function aggregate(errors: readonly string[]): string {
  const distinct = [...new Set(errors)]
  return distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`
}
