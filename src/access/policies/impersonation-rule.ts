import type { ImpersonationRule } from '../../apis/breakglass/deny-rule-fields.ts'
import type { Clause } from './clause.ts'
import { amongIfAny, fitOfNamespace, told, verbsOf } from './clause.ts'
import type { PolicyRequest } from './contract.ts'
import { glob } from './glob.ts'
import { impersonationOf, isWildcard } from './impersonation.ts'
import { kindsOf } from './kinds.ts'
import type { Fit } from './namespace-filter.ts'
import { namespaceMatcher } from './namespace-filter.ts'
import type { RuleKeys, RuleQuery } from './rule-index.ts'

/** Stands where a rule on resources has a verb. No verb holds a space. */
const takesOn = 'takes on'

/** As the index of impersonation rules is asked: by mode, what it is about, and what is done. */
export function impersonationQueries({ verb, resource }: PolicyRequest): RuleQuery[] {
  const impersonation = impersonationOf(verb)
  if (!impersonation || impersonation.asks === 'unknown') return []
  const words = impersonation.asks === 'identity' ? [takesOn] : verbsOf(impersonation.verb, resource)
  const [kind, namespace] = [resource?.resource ?? '', resource?.namespace ?? '']
  return words.map((word) => ({ group: impersonation.mode, resource: kind, verb: word, namespace }))
}

/**
 * A rule that says what is done (actionVerbs, targetAPIGroups, targetResources) is compared with requests about that, which
 * do not tell who is acted as: what else it says of identities is not looked at, so that it refuses rather too much than
 * nothing. A rule that says only who is taken on is compared with requests about that. One that says neither is with both.
 */
export function impersonationRule(rule: ImpersonationRule): { clause: Clause; keys: RuleKeys } {
  const isOfAction = [rule.actionVerbs, rule.targetAPIGroups, rule.targetResources].some(isGiven)
  const isOfIdentity = !isOfAction && [rule.identityResources, rule.identities, rule.extraKeys].some(isGiven)
  const fitsMode = amongIfAny(rule.modes)
  const [fitsAction, fitsGroup] = [amongIfAny(rule.actionVerbs), amongIfAny(rule.targetAPIGroups)]
  const targets = kindsOf(orAll(rule.targetResources), () => true)
  const fitsIdentity = identityTest(rule)
  const namespaces = namespaceMatcher(rule.namespaces)

  const fits = ({ verb, resource }: PolicyRequest): Fit => {
    const impersonation = impersonationOf(verb)
    if (!impersonation || impersonation.asks === 'unknown' || !fitsMode(impersonation.mode)) return 'no'
    if (impersonation.asks === 'identity') {
      if (isOfAction || !resource || !fitsIdentity(resource)) return 'no'
      return fitOfNamespace(namespaces, { ...resource, verb, isNamed: false })
    }
    if (isOfIdentity || !verbsOf(impersonation.verb, resource).some(fitsAction)) return 'no'
    // A path is in no group and is no resource: only a rule that names neither is about it.
    if (!resource) return isGiven(rule.targetAPIGroups) || isGiven(rule.targetResources) || namespaces ? 'no' : 'yes'
    if (!fitsGroup(resource.group)) return 'no'
    const fit = targets.fit(resource.resource, resource.subresource)
    if (fit === 'no') return 'no'
    return fitOfNamespace(namespaces, { ...resource, verb: impersonation.verb, isNamed: fit === 'named' })
  }
  const clause: Clause = {
    fits,
    byLabels: (labels) => namespaces?.byLabels(labels) ?? true,
    because: (request) => rule.reason ?? `nobody may ${told(request)}`,
  }
  const groups = orAll(rule.modes)
  if (isOfIdentity)
    return { clause, keys: { groups, resources: orAll(rule.identityResources), verbs: [takesOn], namespaces } }
  if (!isOfAction) return { clause, keys: { groups, resources: ['*'], verbs: ['*'], namespaces } }
  return { clause, keys: { groups, resources: targets.names, verbs: orAll(rule.actionVerbs), namespaces } }
}

const isGiven = (words: readonly string[] | undefined): boolean => words !== undefined && words.length > 0
const orAll = (words: readonly string[] | undefined): readonly string[] => (words && words.length > 0 ? words : ['*'])

function identityTest(rule: ImpersonationRule): (identity: NonNullable<PolicyRequest['resource']>) => boolean {
  const fitsKind = amongIfAny(rule.identityResources)
  const names = (rule.identities ?? []).map(glob)
  const fitsKey = amongIfAny(rule.extraKeys?.map((key) => key.toLowerCase()))
  return ({ resource, subresource, name }) =>
    fitsKind(resource) &&
    // Whoever may act as anybody may act as those that are named.
    (names.length === 0 || isWildcard(name) || names.some(({ fits }) => fits(name))) &&
    (!isGiven(rule.extraKeys) || (resource === 'userextras' && fitsKey(subresource.toLowerCase())))
}
