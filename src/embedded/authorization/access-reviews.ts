import type { PolicyRule } from 'kubernetes-types/rbac/v1.d.ts'
import type { User } from '../authentication/user.ts'
import type { FieldError } from '../kinds/field-errors.ts'
import type { Kind } from '../kinds/kind.ts'
import { parseFieldSelector } from '../select/field-selector.ts'
import { parseLabelSelector } from '../select/parse-label-selector.ts'
import { badRequest, invalid } from '../status.ts'
import type { Attributes, Decision } from './attributes.ts'
import type { ControlPlaneAuthorizer } from './authorizer.ts'
import { aggregate } from './rbac.ts'
import { checkLocality, checkNoMetadata, checkQuestion, checkSubject } from './review-checks.ts'
import type { ReviewedResource, ReviewedSelector, ReviewSpec } from './review-spec.ts'
import { readable } from './review-spec.ts'

type Answer = NonNullable<Kind['answer']>

/** Who answers the four kinds of questions about rights, by resource. */
export const accessReviewAnswers = ({ authorizer }: { authorizer: ControlPlaneAuthorizer }) => {
  const answers: Readonly<Record<ReviewResource, Answer>> = {
    'subjectaccessreviews.authorization.k8s.io': async (object) => {
      const spec = specOf(object)
      refuse([...checkQuestion(spec), ...checkSubject(spec), ...checkNoMetadata(object)])
      return { ...object, status: await statusFor(authorizer, spec, subjectOf(spec)) }
    },
    'selfsubjectaccessreviews.authorization.k8s.io': async (object, { user }) => {
      const spec = specOf(object)
      refuse([...checkQuestion(spec), ...checkNoMetadata(object)])
      return { ...object, status: await statusFor(authorizer, spec, user) }
    },
    'localsubjectaccessreviews.authorization.k8s.io': async (object, { namespace }) => {
      const spec = specOf(object)
      const errors = checkLocality(spec, object.metadata.namespace || namespace)
      refuse([...checkQuestion(spec), ...checkSubject(spec), ...checkNoMetadata(object, true), ...errors])
      return { ...object, status: await statusFor(authorizer, spec, subjectOf(spec)) }
    },
    'selfsubjectrulesreviews.authorization.k8s.io': async ({ apiVersion, kind, ...object }, { user }) => {
      const { namespace } = (object['spec'] ?? {}) as { namespace?: string }
      if (!namespace) throw badRequest('no namespace on request')
      return { apiVersion, kind, metadata: {}, spec: {}, status: rulesStatus(authorizer, user, namespace) }
    },
  }
  return answers
}

export type ReviewResource =
  | `${'' | 'self' | 'local'}subjectaccessreviews.${typeof group}`
  | `selfsubjectrulesreviews.${typeof group}`

const group = 'authorization.k8s.io'

function rulesStatus(authorizer: ControlPlaneAuthorizer, user: User, namespace: string): object {
  const { rules, errors, incomplete } = authorizer.rulesFor(user, namespace)
  return {
    ...reviewedRules(rules),
    incomplete,
    ...(errors.length > 0 && { evaluationError: aggregate(errors) }),
  }
}

const specOf = (object: { readonly [field: string]: unknown }): ReviewSpec => (object['spec'] ?? {}) as ReviewSpec

/** The kind is not told, as Kubernetes does not. */
function refuse(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid({ group, kind: '' }, '', errors)
}

const subjectOf = ({ user = '', groups = [], uid, extra }: ReviewSpec): User => ({
  name: user,
  groups,
  ...(uid !== undefined && { uid }),
  ...(extra && { extra }),
})

async function statusFor(authorizer: ControlPlaneAuthorizer, spec: ReviewSpec, user: User): Promise<object> {
  const { attributes, errors } = questionOf(spec, user)
  const decision = await authorizer.authorize(attributes)
  const all = [...errorOf(decision), ...errors]
  return {
    allowed: decision.verdict === 'allow',
    ...(decision.verdict === 'deny' && { denied: true }),
    ...(decision.reason !== '' && { reason: decision.reason }),
    ...(all.length > 0 && { evaluationError: aggregate(all) }),
  }
}

const errorOf = (decision: Decision): string[] =>
  decision.verdict !== 'allow' && decision.error !== undefined ? [decision.error] : []

/** A selector that cannot be read is left out, and told. */
function questionOf(spec: ReviewSpec, user: User): { attributes: Attributes; errors: string[] } {
  const { resourceAttributes, nonResourceAttributes = {} } = spec
  if (!resourceAttributes) {
    const { path = '', verb = '' } = nonResourceAttributes
    return { attributes: { user, verb, path }, errors: [] }
  }
  const { verb = '', group: ofGroup = '', version = '', resource = '', subresource = '' } = resourceAttributes
  const { namespace = '', name = '' } = resourceAttributes
  const [fieldSelector, labelSelector] = [fieldText(resourceAttributes), labelText(resourceAttributes)]
  const errors = [
    ...(fieldSelector === unreadable ? ['spec.resourceAttributes.fieldSelector ignored due to parse error'] : []),
    ...(labelSelector === unreadable ? ['spec.resourceAttributes.labelSelector ignored due to parse error'] : []),
  ]
  const attributes: Attributes = {
    user,
    verb,
    group: ofGroup,
    version,
    resource,
    subresource,
    namespace,
    name,
    ...(typeof fieldSelector === 'string' && { fieldSelector }),
    ...(typeof labelSelector === 'string' && { labelSelector }),
  }
  return { attributes, errors }
}

const unreadable = Symbol('unreadable')
type SelectorText = string | undefined | typeof unreadable

const fieldText = ({ fieldSelector }: ReviewedResource): SelectorText =>
  textOf(fieldSelector, parseFieldSelector, ({ key = '', operator, values = [] }) =>
    values.length === 1 && (operator === 'In' || operator === 'NotIn')
      ? `${key}${operator === 'In' ? '=' : '!='}${(values[0] ?? '').replace(/[\\,=]/g, '\\$&')}`
      : undefined,
  )

const labelText = ({ labelSelector }: ReviewedResource): SelectorText =>
  textOf(labelSelector, parseLabelSelector, ({ key = '', operator, values = [] }) => {
    switch (operator) {
      case 'In':
        return `${key} in (${values.join(',')})`
      case 'NotIn':
        return `${key} notin (${values.join(',')})`
      case 'Exists':
        return key
      case 'DoesNotExist':
        return `!${key}`
      default:
        return undefined
    }
  })

/** Requirements that cannot be put into words narrow nothing, and are left out. */
function textOf(
  selector: ReviewedSelector | undefined,
  parse: (text: string) => unknown,
  words: (requirement: NonNullable<ReviewedSelector['requirements']>[number]) => string | undefined,
): SelectorText {
  if (!selector) return undefined
  const { rawSelector, requirements = [] } = selector
  const text = rawSelector || requirements.map(words).filter(Boolean).join(',')
  if (text === '') return undefined
  return readable(() => parse(text)) === undefined ? unreadable : text
}

function reviewedRules(rules: readonly PolicyRule[]) {
  const resourceRules = rules.filter(({ resources = [] }) => resources.length > 0)
  const nonResourceRules = rules.filter(({ nonResourceURLs = [] }) => nonResourceURLs.length > 0)
  return {
    resourceRules: resourceRules.map(({ verbs, apiGroups, resources, resourceNames }) => ({
      verbs,
      ...(apiGroups && { apiGroups }),
      resources,
      ...(resourceNames && resourceNames.length > 0 && { resourceNames }),
    })),
    nonResourceRules: nonResourceRules.map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
  }
}
