import type { Served } from '../kinds/registry.ts'
import type { ApiObject } from '../objects.ts'
import type { Labels } from '../select/label-selector.ts'
import { matchesLabels } from '../select/label-selector.ts'
import type { Admitted, WriteTarget } from './admission.ts'
import { isAbout } from './admission.ts'
import type { Webhook } from './webhooks.ts'

/** Of a webhook: each list may hold `*`. Resources may be `pods/status`, `pods/*`, `*` and, with their parts, all: a star twice. */
export interface Rule {
  readonly operations: readonly string[]
  readonly apiGroups: readonly string[]
  readonly apiVersions: readonly string[]
  readonly resources: readonly string[]
  /** `Cluster`, `Namespaced` or, by default, `*`. */
  readonly scope?: string
}

/** A webhook that the rules choose for a kind of write, and the version of the object it is to be shown. */
export interface Candidate {
  readonly webhook: Webhook
  readonly served: Served
}

/** By rules alone: what objects and namespaces say comes later. `equivalents` are the other ways to address the objects. */
export function candidateOf(
  webhook: Webhook,
  target: WriteTarget,
  equivalents: readonly Served[],
): Candidate | undefined {
  const { served } = target
  if (webhook.rules.some((rule) => ruleMatches(rule, target, served))) return { webhook, served }
  if (!webhook.takesEquivalent) return undefined
  for (const rule of webhook.rules)
    for (const other of equivalents) if (ruleMatches(rule, target, other)) return { webhook, served: other }
  return undefined
}

export function ruleMatches(rule: Rule, { operation, subresource }: WriteTarget, { kind, version }: Served): boolean {
  return (
    includes(rule.operations, operation) &&
    includes(rule.apiGroups, kind.group) &&
    includes(rule.apiVersions, version.name) &&
    rule.resources.some((resource) => resourceMatches(resource, kind.plural, subresource)) &&
    scopeMatches(rule.scope, kind.namespaced)
  )
}

const includes = (values: readonly string[], value: string): boolean => values.includes('*') || values.includes(value)

/** `pods/*` is `pods` as well. */
function resourceMatches(resource: string, plural: string, subresource: string): boolean {
  const slash = resource.indexOf('/')
  const [main, part] = slash < 0 ? [resource, ''] : [resource.slice(0, slash), resource.slice(slash + 1)]
  return (main === '*' || main === plural) && (part === '*' || part === subresource)
}

const scopeMatches = (scope: string | undefined, namespaced: boolean): boolean =>
  scope === undefined || scope === '*' || scope === (namespaced ? 'Namespaced' : 'Cluster')

/**
 * Whether the namespace is selected. What is in no namespace always is; of a namespace that is made or changed its
 * labels to be count. `labelsOf` throws when there is no such namespace.
 */
export function selectsNamespace(
  { namespaceSelector }: Webhook,
  write: Admitted,
  labelsOf: (namespace: string) => Labels,
): boolean {
  if (namespaceSelector.length === 0) return true
  if (isAbout(write, '', 'namespaces') && write.object)
    return matchesLabels(namespaceSelector, write.object.metadata.labels)
  const namespace = namespaceOf(write)
  return namespace === '' || matchesLabels(namespaceSelector, labelsOf(namespace))
}

/** As webhooks are told it: a namespace is in itself. */
export const namespaceOf = ({ served, namespace, name }: Admitted): string =>
  served.kind.group === '' && served.kind.plural === 'namespaces' ? name : namespace

/** As it is to be, or as it was. */
export const selectsObject = (
  { objectSelector }: Webhook,
  { object, old }: { object: ApiObject | undefined; old: ApiObject | undefined },
): boolean =>
  objectSelector.length === 0 ||
  [object, old].some((state) => state !== undefined && matchesLabels(objectSelector, state.metadata.labels))
