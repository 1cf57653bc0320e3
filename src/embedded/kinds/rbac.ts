import type { ClusterRole, PolicyRule, RoleBinding, RoleRef, Subject } from 'kubernetes-types/rbac/v1.d.ts'
import type { ApiObject } from '../objects.ts'
import type { Cells, Definition } from './define.ts'
import { as } from './define.ts'
import type { FieldError } from './field-errors.ts'
import { invalidFor, invalidValue, notSupported, required } from './field-errors.ts'
import type { Rules } from './kind.ts'
import { checkLabelSelector } from './label-selector.ts'
import { checkStandardFinalizers } from './metadata.ts'
import { dnsSubdomainFlaws, pathSegmentFlaws, pathSegmentName } from './names.ts'

const group = 'rbac.authorization.k8s.io'

const common: Rules = { checkName: pathSegmentName, createsOnUpdate: true }

/** Storage knows no difference between no rules and none said. Whoever said none owns it all the same. */
function forgetNoRules(object: ApiObject): void {
  if (as<ClusterRole>(object).rules?.length === 0) object['rules'] = null
}

const role = (namespaced: boolean): Definition => ({
  rules: {
    updateChecks: ['whole', 'check', 'update', 'checkUpdate'],
    ...common,
    defaults: (object) => {
      object['rules'] ??= null
    },
    prepareCreate: forgetNoRules,
    prepareUpdate: forgetNoRules,
    check: (object) => {
      const { metadata, rules, aggregationRule } = as<ClusterRole>(object)
      return [
        ...checkStandardFinalizers(metadata.finalizers),
        ...(rules ?? []).flatMap((rule, index) => ruleErrors(rule, namespaced, `rules[${index}]`)),
        ...(aggregationRule && !namespaced ? aggregationErrors(aggregationRule) : []),
      ]
    },
  },
})

export const roles = role(true)
export const clusterRoles = role(false)

function ruleErrors(rule: PolicyRule, namespaced: boolean, field: string): FieldError[] {
  const { verbs = [], nonResourceURLs = [], apiGroups = [], resources = [], resourceNames = [] } = rule
  const errors: FieldError[] = []
  if (verbs.length === 0) errors.push(required(`${field}.verbs`, 'verbs must contain at least one value'))
  if (nonResourceURLs.length > 0) {
    const urls = `${field}.nonResourceURLs`
    if (namespaced)
      errors.push(invalidValue(urls, nonResourceURLs, 'namespaced rules cannot apply to non-resource URLs'))
    if (apiGroups.length + resources.length + resourceNames.length > 0)
      errors.push(
        invalidValue(urls, nonResourceURLs, 'rules cannot apply to both regular resources and non-resource URLs'),
      )
    return errors
  }
  if (apiGroups.length === 0)
    errors.push(required(`${field}.apiGroups`, 'resource rules must supply at least one api group'))
  if (resources.length === 0)
    errors.push(required(`${field}.resources`, 'resource rules must supply at least one resource'))
  return errors
}

function aggregationErrors({ clusterRoleSelectors = [] }: NonNullable<ClusterRole['aggregationRule']>): FieldError[] {
  const field = 'aggregationRule.clusterRoleSelectors'
  if (clusterRoleSelectors.length === 0)
    return [required(field, 'at least one clusterRoleSelector required if aggregationRule is non-nil')]
  return clusterRoleSelectors.flatMap((selector, index) => {
    const flaws = checkLabelSelector(selector, `${field}[${index}]`)
    return flaws.length > 0 ? [...flaws, invalidValue(`${field}[${index}]`, null, 'invalid label selector.')] : []
  })
}

const subjectNames = (object: ApiObject, wanted: string, text: (subject: Subject) => string): string =>
  (as<RoleBinding>(object).subjects ?? [])
    .filter(({ kind }) => kind === wanted)
    .map(text)
    .join(', ')

const cells: Cells = {
  Role: (object) => {
    const { kind, name } = as<RoleBinding>(object).roleRef
    return `${kind}/${name}`
  },
  Users: (object) => subjectNames(object, 'User', ({ name }) => name),
  Groups: (object) => subjectNames(object, 'Group', ({ name }) => name),
  ServiceAccounts: (object) =>
    subjectNames(object, 'ServiceAccount', ({ namespace, name }) => `${namespace ?? ''}/${name}`),
}

const binding = (namespaced: boolean): Definition => ({
  rules: {
    updateChecks: ['whole', 'check', 'update', 'checkUpdate'],
    ...common,
    defaults: (object) => {
      const { subjects = [], roleRef } = as<RoleBinding>(object)
      object['roleRef'] = {
        ...roleRef,
        apiGroup: roleRef?.apiGroup || group,
        kind: roleRef?.kind ?? '',
        name: roleRef?.name ?? '',
      }
      for (const subject of subjects) if (!subject.apiGroup && isPerson(subject)) subject.apiGroup = group
    },
    check: (object) => {
      const { metadata, roleRef, subjects = [] } = as<RoleBinding>(object)
      return [
        ...checkStandardFinalizers(metadata.finalizers),
        ...roleRefErrors(roleRef, namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole']),
        ...subjects.flatMap((subject, index) => subjectErrors(subject, namespaced, `subjects[${index}]`)),
      ]
    },
    checkUpdate: (object, old) => {
      const { apiGroup, kind, name } = as<RoleBinding>(object).roleRef
      const before = as<RoleBinding>(old).roleRef
      if (apiGroup === before.apiGroup && kind === before.kind && name === before.name) return []
      // The API server prints this one with the names of its own fields.
      return [invalidValue('roleRef', { APIGroup: apiGroup, Kind: kind, Name: name }, 'cannot change roleRef')]
    },
  },
  cells,
})

export const roleBindings = binding(true)
export const clusterRoleBindings = binding(false)

const isPerson = ({ kind }: Subject): boolean => kind === 'User' || kind === 'Group'

function roleRefErrors({ apiGroup, kind, name }: RoleRef, kinds: readonly string[]): FieldError[] {
  const errors: FieldError[] = []
  if (apiGroup !== group) errors.push(notSupported('roleRef.apiGroup', apiGroup, [group]))
  if (!kinds.includes(kind)) errors.push(notSupported('roleRef.kind', kind, kinds))
  if (name === '') errors.push(required('roleRef.name'))
  else errors.push(...invalidFor('roleRef.name', name, pathSegmentFlaws(name)))
  return errors
}

function subjectErrors(subject: Subject, namespaced: boolean, field: string): FieldError[] {
  const { kind = '', name = '', apiGroup = '', namespace = '' } = subject
  const errors: FieldError[] = []
  if (name === '') errors.push(required(`${field}.name`))
  if (kind === 'ServiceAccount') {
    if (name !== '') errors.push(...invalidFor(`${field}.name`, name, dnsSubdomainFlaws(name)))
    if (apiGroup !== '') errors.push(notSupported(`${field}.apiGroup`, apiGroup, ['']))
    if (!namespaced && namespace === '') errors.push(required(`${field}.namespace`))
  } else if (!isPerson(subject)) {
    errors.push(notSupported(`${field}.kind`, kind, ['ServiceAccount', 'User', 'Group']))
  } else if (apiGroup !== group) {
    errors.push(notSupported(`${field}.apiGroup`, apiGroup, [group]))
  }
  return errors
}
