/** Deny policies as one would explain them: every policy in turn, every rule in turn. Slow, and short enough to be right. */
import type { NamespaceFilter } from '../../../apis/breakglass/common.ts'
import type { DenyPolicy } from '../../../apis/breakglass/deny-policy.ts'
import type { DenyRule, ImpersonationRule } from '../../../apis/breakglass/deny-rule-fields.ts'
import type { Stored } from '../../../kube/objects.ts'
import type { PolicyRequest, PolicySession } from '../contract.ts'

type Labels = Readonly<Record<string, string>> | undefined
/** Whether kinds outside the core group are in namespaces. */
type Scope = boolean | undefined
/** `unread`: the labels decide, or whether the kind is in namespaces, and nobody knows. */
type Fit = boolean | 'unread'
export type Refusal = { policy: string; isError: boolean } | undefined

const has = (words: readonly string[], word: string) => words.includes('*') || words.includes(word)
const hasIfAny = (words: readonly string[] | undefined, word: string) => !words?.length || has(words, word)
const collections = ['list', 'watch', 'deletecollection']

export function slowGlob(pattern: string, text: string): boolean {
  if (pattern === '') return text === ''
  const rest = pattern.slice(1)
  if (pattern[0] === '*') return slowGlob(rest, text) || (text !== '' && slowGlob(pattern, text.slice(1)))
  return text !== '' && (pattern[0] === '?' || pattern[0] === text[0]) && slowGlob(rest, text.slice(1))
}

/** Of all policies (`session` undefined: those for everybody; else those for what it grants) the first that refuses. */
export function slowRefusal(
  policies: readonly Stored<DenyPolicy>[],
  request: PolicyRequest,
  { labels, isNamespaced }: { labels: Labels; isNamespaced: Scope },
  session?: PolicySession,
): Refusal {
  const missing = session?.denyPolicyRefs.find((ref) => !policies.some(({ metadata }) => metadata.name === ref))
  if (missing !== undefined) return { policy: missing, isError: true }
  const inOrder = policies.toSorted(
    (a, b) => (a.spec.precedence ?? 100) - (b.spec.precedence ?? 100) || (a.metadata.name < b.metadata.name ? -1 : 1),
  )
  for (const { metadata, spec } of inOrder) {
    const { clusters, tenants, sessions } = spec.appliesTo ?? {}
    if (!hasIfAny(clusters, request.cluster) || !hasIfAny(tenants, request.tenant)) continue
    const isMeant = session
      ? session.denyPolicyRefs.includes(metadata.name) || (sessions?.length && has(sessions, session.name))
      : !sessions?.length
    if (!isMeant) continue
    const fits = [
      ...(spec.rules ?? []).map((rule) => ruleFits(rule, request, { labels, isNamespaced })),
      ...(spec.impersonationRules ?? []).map((rule) => impersonationFits(rule, request, { labels, isNamespaced })),
    ]
    const first = fits.find((fit) => fit !== false)
    if (first !== undefined) return { policy: metadata.name, isError: first === 'unread' }
  }
  return undefined
}

/** Reaching into a pod: clients that use WebSockets send a GET where others POST. */
const asked = (verb: string, resource: PolicyRequest['resource']) =>
  verb === 'get' &&
  resource?.group === '' &&
  resource.resource === 'pods' &&
  ['exec', 'attach', 'portforward'].includes(resource.subresource)
    ? ['get', 'create']
    : [verb]

function ruleFits(rule: DenyRule, { verb, resource, path }: PolicyRequest, known: Known): Fit {
  if (!asked(verb, resource).some((word) => has(rule.verbs, word))) return false
  if (!resource)
    return (rule.nonResourceURLs ?? []).some((url) =>
      url.endsWith('*') ? path?.startsWith(url.slice(0, -1)) : url === path,
    )
  if (!has(rule.apiGroups ?? [], resource.group)) return false
  const fitting = (rule.resources ?? []).filter((entry) => kindFits(entry, resource, rule.subresources))
  if (fitting.length === 0) return false
  if (rule.resourceNames?.length && !rule.resourceNames.some((name) => resource.name && slowGlob(name, resource.name)))
    return false
  const isNamed = fitting.some((entry) => !entry.startsWith('*'))
  return namespaceFits(rule.namespaces, { ...resource, verb, isNamed }, known)
}

interface Known {
  labels: Labels
  isNamespaced: Scope
}
type Resource = NonNullable<PolicyRequest['resource']>
function kindFits(entry: string, { resource, subresource }: Resource, subresources: readonly string[] | undefined) {
  const [kind, ...below] = entry.split('/')
  if (kind !== '*' && kind !== resource) return false
  if (below.length === 0) return hasIfAny(subresources, subresource)
  return below.join('/') === '*' ? subresource !== '' : below.join('/') === subresource
}

function namespaceFits(
  filter: NamespaceFilter | undefined,
  { verb, isNamed, namespace, group, resource }: Resource & { verb: string; isNamed: boolean },
  { labels, isNamespaced }: Known,
): Fit {
  const { patterns = [], selectorTerms = [] } = filter ?? {}
  if (patterns.length + selectorTerms.length === 0) return true
  if (namespace === '') {
    if (!collections.includes(verb)) return false
    if (isNamed) return true
    return group === '' ? resource !== 'nodes' : (isNamespaced ?? 'unread')
  }
  if (patterns.some((pattern) => slowGlob(pattern, namespace))) return true
  if (
    selectorTerms.some(
      ({ matchLabels = {}, matchExpressions = [] }) => isEmpty(matchLabels) && !matchExpressions.length,
    )
  )
    return true
  if (selectorTerms.length > 0 && !labels) return 'unread'
  return selectorTerms.some(({ matchLabels = {}, matchExpressions = [] }) => {
    const wanted = Object.entries(matchLabels).every(([key, value]) => labels?.[key] === value)
    return (
      wanted &&
      matchExpressions.every(({ key, operator, values = [] }) => {
        const value = labels?.[key]
        if (operator === 'Exists') return value !== undefined
        if (operator === 'DoesNotExist') return value === undefined
        const isAmong = value !== undefined && values.includes(value)
        return operator === 'In' ? isAmong : !isAmong
      })
    )
  })
}

const isEmpty = (object: object) => Object.keys(object).length === 0
const constrained = ['user-info', 'serviceaccount', 'arbitrary-node', 'associated-node']

function impersonationFits(rule: ImpersonationRule, { verb, resource }: PolicyRequest, known: Known): Fit {
  const { actionVerbs, targetAPIGroups, targetResources, identityResources, identities, extraKeys } = rule
  const saysWhat = [actionVerbs, targetAPIGroups, targetResources].some((list) => list?.length)
  const saysWho = [identityResources, identities, extraKeys].some((list) => list?.length)
  const taken = verb === 'impersonate' ? 'legacy' : constrained.find((mode) => verb === `impersonate:${mode}`)
  const doing = constrained.find((mode) => verb.startsWith(`impersonate-on:${mode}:`))
  if (taken && resource) {
    if (saysWhat || !hasIfAny(rule.modes, taken) || !hasIfAny(identityResources, resource.resource)) return false
    const { name, subresource } = resource
    if (identities?.length && name !== '' && name !== '*' && !identities.some((one) => slowGlob(one, name)))
      return false
    if (extraKeys?.length && !(resource.resource === 'userextras' && has(extraKeys, subresource))) return false
    return namespaceFits(rule.namespaces, { ...resource, verb, isNamed: false }, known)
  }
  if (!doing || (saysWho && !saysWhat) || !hasIfAny(rule.modes, doing)) return false
  const action = verb.slice(`impersonate-on:${doing}:`.length)
  if (action === '' || !asked(action, resource).some((word) => hasIfAny(actionVerbs, word))) return false
  if (!resource) {
    const { patterns = [], selectorTerms = [] } = rule.namespaces ?? {}
    return !targetAPIGroups?.length && !targetResources?.length && patterns.length + selectorTerms.length === 0
  }
  if (!hasIfAny(targetAPIGroups, resource.group)) return false
  const targets = targetResources?.length ? targetResources : ['*']
  const fitting = targets.filter((entry) => kindFits(entry, resource, undefined))
  if (fitting.length === 0) return false
  const isNamed = fitting.some((entry) => !entry.startsWith('*'))
  return namespaceFits(rule.namespaces, { ...resource, verb: action, isNamed }, known)
}
