import type { FieldError } from './field-errors.ts'
import { invalidValue, notSupported, required } from './field-errors.ts'

const operationNames = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE']
const scopes = ['*', 'Cluster', 'Namespaced']

/** What a webhook is asked about. */
export interface WebhookRule {
  operations?: string[]
  apiGroups?: string[]
  apiVersions?: string[]
  resources?: string[]
  scope?: string
}

export function webhookRuleErrors(rule: WebhookRule, field: string): FieldError[] {
  const { operations = [], apiGroups = [], apiVersions = [], resources = [], scope } = rule
  return [
    ...listErrors(operations, `${field}.operations`, 'operations'),
    ...operations.flatMap((operation, index) =>
      operationNames.includes(operation)
        ? []
        : [notSupported(`${field}.operations[${index}]`, operation, operationNames)],
    ),
    ...listErrors(apiGroups, `${field}.apiGroups`, 'API groups'),
    ...listErrors(apiVersions, `${field}.apiVersions`, 'API versions'),
    ...apiVersions.flatMap((version, index) => (version === '' ? [required(`${field}.apiVersions[${index}]`)] : [])),
    ...resourceErrors(resources, `${field}.resources`),
    ...(scope === undefined || scopes.includes(scope) ? [] : [notSupported(`${field}.scope`, scope, scopes)]),
  ]
}

/** Something must be named, and all of it alone. */
function listErrors(list: readonly string[], field: string, what: string): FieldError[] {
  if (list.length === 0) return [required(field)]
  return list.length > 1 && list.includes('*')
    ? [invalidValue(field, list, `if '*' is present, must not specify other ${what}`)]
    : []
}

function resourceErrors(resources: readonly string[], field: string): FieldError[] {
  if (resources.length === 0) return [required(field)]
  const errors: FieldError[] = []
  const allSubresourcesOf = new Set<string>()
  const ofAllResources = new Set<string>()
  for (const [index, resource] of resources.entries()) {
    const path = `${field}[${index}]`
    if (resource === '') errors.push(required(path))
    const slash = resource.indexOf('/')
    if (slash < 0) continue
    const [name, subresource] = [resource.slice(0, slash), resource.slice(slash + 1)]
    if (allSubresourcesOf.has(name))
      errors.push(invalidValue(path, resource, `if '${name}/*' is present, must not specify ${resource}`))
    if (ofAllResources.has(subresource))
      errors.push(invalidValue(path, resource, `if '*/${subresource}' is present, must not specify ${resource}`))
    if (subresource === '*') allSubresourcesOf.add(name)
    if (name === '*') ofAllResources.add(subresource)
  }
  if (resources.length > 1 && resources.includes('*/*'))
    errors.push(invalidValue(field, resources, "if '*/*' is present, must not specify other resources"))
  if (resources.includes('*') && hasPlainOne(resources))
    errors.push(
      invalidValue(field, resources, "if '*' is present, must not specify other resources without subresources"),
    )
  return errors
}

/** The API server looks at the last one without a subresource only. */
const hasPlainOne = (resources: readonly string[]): boolean => {
  const last = resources.findLast((resource) => resource !== '' && !resource.includes('/'))
  return last !== undefined && last !== '*'
}
