import type { DenyPolicy, DenyPolicySpec } from '../../apis/breakglass/deny-policy.ts'
import type { DenyRule, ImpersonationRule } from '../../apis/breakglass/deny-rule-fields.ts'
import type { Mistake } from '../../fleet/mistake.ts'
import { mistake } from '../../fleet/mistake.ts'
import { isKnownNamespaced } from '../policies/kind-scopes.ts'
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

/** Verbs and names of resources are compared whole, and API servers ask in lower case. */
const lowerCase = (text: string): string | undefined => {
  if (/[A-Z]/.test(text)) return 'must be in lower case, as API servers ask; so it matches nothing'
  return isPartialGlob(text) ? 'must be a name, or * alone for all; a part of a name matches nothing' : wordOrAll(text)
}

const isPartialGlob = (text: string): boolean => text.split('/').some((part) => part !== '*' && part.includes('*'))

const pathProblem = (path: string): string | undefined =>
  path === '*' || /^\/[^\s*]*\*?$/.test(path) ? undefined : 'must be a path, which may end in *'

function ruleMistakes(at: string, rule: DenyRule): Mistake[] {
  const { verbs, apiGroups = [], resources = [], nonResourceURLs = [], namespaces } = rule
  const words = [
    ...(verbs.length === 0 ? [mistake(`${at}.verbs`, 'must name a verb, or *')] : []),
    ...eachMistake(`${at}.verbs`, verbs, lowerCase),
    ...eachMistake(`${at}.apiGroups`, apiGroups, (group) => (group === '' ? undefined : lowerCase(group))),
    ...eachMistake(`${at}.resources`, resources, lowerCase),
    ...eachMistake(`${at}.subresources`, rule.subresources, (below) => (below === '' ? undefined : lowerCase(below))),
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

const collective = ['list', 'watch', 'deletecollection']
const meansAny = (words: readonly string[], wanted: readonly string[]): boolean =>
  words.some((word) => word === '*' || wanted.includes(word))

/** What a rule does not stop although its author may think so. Short: API servers cut warnings after 256 characters. */
export const policyWarnings = ({ rules = [] }: DenyPolicySpec): string[] =>
  rules.flatMap((rule, index) =>
    gaps.flatMap(({ field, isIn, says }) => (isIn(rule) ? [`spec.rules[${index}].${field}: ${says}`] : [])),
  )

const gaps: readonly { field: string; says: string; isIn(rule: DenyRule): boolean }[] = [
  {
    field: 'resourceNames',
    says: 'a list, a watch or a deletion of many names no object, so this rule does not stop it; add a rule without names',
    isIn: ({ verbs, resourceNames }) => Boolean(resourceNames?.length) && meansAny(verbs, collective),
  },
  {
    field: 'resourceNames',
    says: 'a creation names no object, so this rule does not stop it; add a rule without names',
    isIn: ({ verbs, resourceNames, resources = [] }) =>
      Boolean(resourceNames?.length) && verbs.includes('create') && resources.some((kind) => !kind.includes('/')),
  },
  {
    field: 'verbs',
    says: 'whoever may list or watch sees what get shows, and this rule does not stop it; add list and watch',
    isIn: ({ verbs, resources = [], subresources = [] }) =>
      verbs.includes('get') &&
      !['*', 'list', 'watch'].some((verb) => verbs.includes(verb)) &&
      resources.some((kind) => !kind.includes('/')) &&
      subresources.every((below) => below === '' || below === '*'),
  },
  {
    field: 'verbs',
    says: 'whoever may deletecollection deletes what delete does, and this rule does not stop it; add deletecollection',
    isIn: ({ verbs, resources = [], resourceNames, subresources = [] }) =>
      verbs.includes('delete') &&
      !meansAny(verbs, ['deletecollection']) &&
      !resourceNames?.length &&
      resources.some((kind) => !kind.includes('/')) &&
      subresources.every((below) => below === '' || below === '*'),
  },
  {
    field: 'verbs',
    says: 'whoever may update or patch can do what the other does, and this rule stops one of them; add the other',
    isIn: ({ verbs }) => !verbs.includes('*') && verbs.includes('update') !== verbs.includes('patch'),
  },
  {
    field: 'apiGroups',
    says: 'events are the same objects in the groups "" and events.k8s.io, and this rule is for one of them; name both',
    isIn: ({ apiGroups = [], resources = [] }) =>
      resources.some((kind) => kind === 'events' || kind.startsWith('events/')) &&
      !apiGroups.includes('*') &&
      apiGroups.includes('') !== apiGroups.includes('events.k8s.io'),
  },
  {
    field: 'namespaces',
    says: 'kinds that are in no namespace, as nodes, are not meant; add a rule without namespaces for them',
    isIn: ({ namespaces, apiGroups = [], resources = [] }) =>
      isGiven(namespaces) && resources.some((kind) => isOfNoNamespace(apiGroups, kind)),
  },
]

const isGiven = (filter: DenyRule['namespaces']): boolean =>
  (filter?.patterns?.length ?? 0) + (filter?.selectorTerms?.length ?? 0) > 0

/** Of kinds that are not Kubernetes' own, only the cluster knows. */
const isOfNoNamespace = (groups: readonly string[], resource: string): boolean => {
  const [kind = ''] = resource.split('/')
  return kind === '*' || groups.some((group) => isKnownNamespaced(group, kind) === false)
}
