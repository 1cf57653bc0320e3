import type { DenyRule } from '../../apis/breakglass/deny-rule-fields.ts'
import type { Clause } from './clause.ts'
import { among, amongIfAny, fitOfNamespace, told, verbsOf } from './clause.ts'
import { glob } from './glob.ts'
import { kindsOf } from './kinds.ts'
import { namespaceMatcher } from './namespace-filter.ts'
import type { RuleKeys } from './rule-index.ts'

/** The part of a rule that is about resources. Undefined: it has none. */
export function resourceRule(rule: DenyRule): { clause: Clause; keys: RuleKeys } | undefined {
  const { verbs, apiGroups = [], resources = [] } = rule
  if (verbs.length === 0 || apiGroups.length === 0 || resources.length === 0) return undefined
  const [fitsVerb, fitsGroup] = [among(verbs), among(apiGroups)]
  const kinds = kindsOf(resources, amongIfAny(rule.subresources))
  const names = (rule.resourceNames ?? []).map(glob)
  const namespaces = namespaceMatcher(rule.namespaces)
  const clause: Clause = {
    fits({ verb, resource }) {
      if (!resource || !verbsOf(verb, resource).some(fitsVerb) || !fitsGroup(resource.group)) return 'no'
      const { name } = resource
      const fit = kinds.fit(resource.resource, resource.subresource)
      if (fit === 'no') return 'no'
      if (names.length > 0 && (name === '' || !names.some(({ fits }) => fits(name)))) return 'no'
      return fitOfNamespace(namespaces, { ...resource, verb, isNamed: fit === 'named' })
    },
    byLabels: (labels) => namespaces?.byLabels(labels) ?? true,
    because: (request) => `nobody may ${told(request)}`,
  }
  return { clause, keys: { groups: apiGroups, resources: kinds.names, verbs, namespaces } }
}
