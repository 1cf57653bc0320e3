import type { Fields } from '../cel/cel.ts'
import { parseFieldSelector } from '../select/field-selector.ts'
import { parseLabelSelector } from '../select/parse-label-selector.ts'
import type { Attributes, ResourceAttributes } from './attributes.ts'
import { isAboutPath } from './attributes.ts'

/** The spec of a SubjectAccessReview: a question to the authorizers as it is put over the wire. */
export interface ReviewSpec {
  readonly resourceAttributes?: ReviewedResource
  readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string }
  readonly user?: string
  readonly groups?: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
  readonly uid?: string
}

export interface ReviewedResource {
  readonly namespace?: string
  readonly verb?: string
  readonly group?: string
  readonly version?: string
  readonly resource?: string
  readonly subresource?: string
  readonly name?: string
  readonly fieldSelector?: ReviewedSelector
  readonly labelSelector?: ReviewedSelector
}

export interface ReviewedSelector {
  readonly rawSelector?: string
  readonly requirements?: readonly ReviewedRequirement[]
}

export interface ReviewedRequirement {
  readonly key?: string
  readonly operator?: string
  readonly values?: readonly string[]
}

/** What is empty is left out, so that a condition can ask with `has()`. */
export function reviewSpecOf(attributes: Attributes): ReviewSpec {
  const { user } = attributes
  return {
    ...(isAboutPath(attributes)
      ? { nonResourceAttributes: filled({ path: attributes.path, verb: attributes.verb }) }
      : { resourceAttributes: reviewedResource(attributes) }),
    ...filled({ user: user.name, uid: user.uid ?? '' }),
    ...(user.groups.length > 0 && { groups: user.groups }),
    ...(user.extra && Object.keys(user.extra).length > 0 && { extra: user.extra }),
  }
}

/**
 * A selector that is longer than this is not put to webhooks: each of its requirements would be a line of JSON for every
 * webhook, whose deadline would pass meanwhile, and an authorizer that is shown no selector is asked about all objects.
 */
const longestSelector = 8 * 1024

function reviewedResource(attributes: ResourceAttributes): ReviewedResource {
  const { namespace, verb, group, version, resource, subresource, name, fieldSelector, labelSelector } = attributes
  const fields = isShown(fieldSelector) ? fieldRequirements(fieldSelector) : []
  const labels = isShown(labelSelector) ? labelRequirements(labelSelector) : []
  return {
    ...filled({ namespace, verb, group, version, resource, subresource, name }),
    ...(fields.length > 0 && { fieldSelector: { requirements: fields } }),
    ...(labels.length > 0 && { labelSelector: { requirements: labels } }),
  }
}

const isShown = (selector: string | undefined): selector is string =>
  selector !== undefined && selector !== '' && selector.length <= longestSelector

const filled = <T extends Record<string, string>>(fields: T): Partial<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== '')) as Partial<T>

/** None of a selector that cannot be read: it narrows nothing then. */
function fieldRequirements(text: string): ReviewedRequirement[] {
  const parsed = readable(() => parseFieldSelector(text)) ?? []
  return parsed.map(({ field, equals, value }) => ({ key: field, operator: equals ? 'In' : 'NotIn', values: [value] }))
}

const operators: Readonly<Record<string, string>> = {
  '=': 'In',
  in: 'In',
  '!=': 'NotIn',
  notin: 'NotIn',
  exists: 'Exists',
  '!': 'DoesNotExist',
}

/** In the order of keys. Comparisons of numbers are not told, as Kubernetes does not. */
function labelRequirements(text: string): ReviewedRequirement[] {
  const parsed = readable(() => parseLabelSelector(text)) ?? []
  return parsed
    .toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .flatMap(({ key, operator, values }) => {
      const told = operators[operator]
      if (!told) return []
      return [{ key, operator: told, ...(values.length > 0 && { values: values.toSorted() }) }]
    })
}

export function readable<T>(parse: () => T): T | undefined {
  try {
    return parse()
  } catch {
    return undefined
  }
}

const selector: Fields = { rawSelector: 'string', requirements: 'list<dyn>' }

/** What a condition of a webhook may name: `request` is the spec of the review. */
export const conditionVariables: { request: Fields } = {
  request: {
    resourceAttributes: {
      namespace: 'string',
      verb: 'string',
      group: 'string',
      version: 'string',
      resource: 'string',
      subresource: 'string',
      name: 'string',
      fieldSelector: selector,
      labelSelector: selector,
    },
    nonResourceAttributes: { path: 'string', verb: 'string' },
    user: 'string',
    groups: 'list<string>',
    extra: 'map<string, list<string>>',
    uid: 'string',
  },
}
