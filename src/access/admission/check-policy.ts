import type { DenyPolicy, DenyPolicySpec } from '../../apis/breakglass/deny-policy.ts'
import type { DenyRule, ImpersonationRule } from '../../apis/breakglass/deny-rule-fields.ts'
import type { Mistake } from '../../fleet/mistake.ts'
import { mistake } from '../../fleet/mistake.ts'
import { namespaceMistakes } from './check-namespaces.ts'
import { eachMistake } from './fields.ts'

/** What is wrong with a DenyPolicy. A rule that matches nothing is a mistake: somebody relies on it. */
export const policyMistakes = ({ spec }: DenyPolicy): Mistake[] => [
  ...emptyMistakes(spec),
  ...scopeMistakes(spec),
  ...(spec.rules ?? []).flatMap((rule, index) => ruleMistakes(`spec.rules[${index}]`, rule)),
  ...(spec.impersonationRules ?? []).flatMap((rule, index) =>
    impersonationMistakes(`spec.impersonationRules[${index}]`, rule),
  ),
  ...podMistakes(spec),
]

const emptyMistakes = ({ rules, impersonationRules, podSecurityRules }: DenyPolicySpec): Mistake[] =>
  (rules?.length ?? 0) + (impersonationRules?.length ?? 0) === 0 && !podSecurityRules
    ? [mistake('spec', 'forbids nothing; give rules, impersonationRules or podSecurityRules')]
    : []

const isExact = (text: string): string | undefined =>
  text === '*' || (text !== '' && !text.includes('*')) ? undefined : 'must be a name, or * alone for all'

const scopeMistakes = ({ appliesTo = {} }: DenyPolicySpec): Mistake[] => [
  ...eachMistake('spec.appliesTo.clusters', appliesTo.clusters, isExact),
  ...eachMistake('spec.appliesTo.tenants', appliesTo.tenants, isExact),
  ...eachMistake('spec.appliesTo.sessions', appliesTo.sessions, isExact),
]

const wordOrAll = (text: string): string | undefined =>
  /^\S+$/.test(text) ? undefined : 'must be a word without blanks, or *'

const pathProblem = (path: string): string | undefined =>
  path === '*' || /^\/[^\s*]*\*?$/.test(path) ? undefined : 'must be a path, which may end in *'

function ruleMistakes(at: string, rule: DenyRule): Mistake[] {
  const { verbs, apiGroups = [], resources = [], nonResourceURLs = [], namespaces } = rule
  const words = [
    ...(verbs.length === 0 ? [mistake(`${at}.verbs`, 'must name a verb, or *')] : []),
    ...eachMistake(`${at}.verbs`, verbs, wordOrAll),
    ...eachMistake(`${at}.resources`, resources, wordOrAll),
    ...eachMistake(`${at}.subresources`, rule.subresources, wordOrAll),
    ...eachMistake(`${at}.resourceNames`, rule.resourceNames, wordOrAll),
    ...eachMistake(`${at}.nonResourceURLs`, nonResourceURLs, pathProblem),
    ...namespaceMistakes(`${at}.namespaces`, namespaces),
  ]
  const ofResources = apiGroups.length + resources.length > 0
  if (nonResourceURLs.length > 0) {
    const others = ofResources || rule.subresources || rule.resourceNames || namespaces
    return others
      ? [...words, mistake(at, 'is of resources or of nonResourceURLs, not of both; make it two rules')]
      : words
  }
  if (!ofResources) return [...words, mistake(at, 'must name resources with their apiGroups, or nonResourceURLs')]
  if (apiGroups.length === 0) words.push(mistake(`${at}.apiGroups`, 'is required with resources; "" is the core group'))
  if (resources.length === 0) words.push(mistake(`${at}.resources`, 'is required with apiGroups'))
  return words
}

const impersonationMistakes = (at: string, rule: ImpersonationRule): Mistake[] => [
  ...(rule.identities && rule.actionVerbs
    ? [mistake(`${at}.identities`, 'and actionVerbs are mutually exclusive: who acts names no identity')]
    : []),
  ...namespaceMistakes(`${at}.namespaces`, rule.namespaces),
]

function podMistakes({ podSecurityRules: rules }: DenyPolicySpec): Mistake[] {
  if (!rules) return []
  const at = 'spec.podSecurityRules'
  const outOfOrder = rules.thresholds.findIndex(
    ({ maxScore }, index) => maxScore <= (rules.thresholds[index - 1]?.maxScore ?? Number.NEGATIVE_INFINITY),
  )
  return [
    ...(outOfOrder < 0
      ? []
      : [
          mistake(
            `${at}.thresholds[${outOfOrder}].maxScore`,
            'must be above that of the one before, or it never counts',
          ),
        ]),
    ...namespaceMistakes(`${at}.exemptions.namespaces`, rules.exemptions?.namespaces),
  ]
}

const collective = ['list', 'watch', 'deletecollection', '*']

/** Short: API servers cut warnings after 256 characters. */
export const policyWarnings = ({ rules = [] }: DenyPolicySpec): string[] =>
  rules.flatMap(({ verbs, resourceNames }, index) =>
    resourceNames && verbs.some((verb) => collective.includes(verb))
      ? [
          `spec.rules[${index}].resourceNames: a list, a watch or a deletion of many names no object, so this rule does not stop it; add a rule without names`,
        ]
      : [],
  )
