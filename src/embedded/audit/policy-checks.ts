import type { FieldError } from '../kinds/field-errors.ts'
import { invalidFor, invalidValue, notSupported, required } from '../kinds/field-errors.ts'
import { dnsSubdomainFlaws } from '../kinds/names.ts'
import type { PolicyFields, ResourceFields, RuleFields } from './policy.ts'
import { levels, stages } from './policy.ts'

/** What is wrong with a policy, in the words of Kubernetes. */
export const checkPolicy = ({ omitStages, rules = [] }: PolicyFields): FieldError[] => [
  ...checkStages(omitStages, 'omitStages'),
  ...rules.flatMap((rule, index) => checkRule(rule, `rules[${index}]`)),
]

function checkRule(rule: RuleFields, at: string): FieldError[] {
  const { nonResourceURLs = [], resources = [], namespaces = [] } = rule
  const errors = [
    ...checkLevel(rule.level, `${at}.level`),
    ...nonResourceURLs.flatMap((url, index) => checkUrl(url, `${at}.nonResourceURLs[${index}]`)),
    ...resources.flatMap((resource) => checkResource(resource, `${at}.resources`)),
    ...checkStages(rule.omitStages, `${at}.omitStages`),
  ]
  if (nonResourceURLs.length > 0 && (resources.length > 0 || namespaces.length > 0))
    errors.push(
      invalidValue(
        `${at}.nonResourceURLs`,
        nonResourceURLs,
        'rules cannot apply to both regular resources and non-resource URLs',
      ),
    )
  return errors
}

function checkLevel(level: string | undefined, at: string): FieldError[] {
  if (!level) return [required(at)]
  return (levels as readonly string[]).includes(level) ? [] : [notSupported(at, level, levels)]
}

function checkUrl(url: string, at: string): FieldError[] {
  if (url === '*') return []
  if (!url.startsWith('/')) return [invalidValue(at, url, "non-resource URL rules must begin with a '/' character")]
  return url.slice(0, -1).includes('*')
    ? [invalidValue(at, url, "non-resource URL wildcards '*' must be the final character of the rule")]
    : []
}

function checkResource({ group = '', resources = [], resourceNames = [] }: ResourceFields, at: string): FieldError[] {
  const errors = group === '' ? [] : invalidFor(`${at}.group`, group, dnsSubdomainFlaws(group))
  if (resourceNames.length > 0 && resources.length === 0)
    errors.push(
      invalidValue(`${at}.resourceNames`, resourceNames, 'using resourceNames requires at least one resource'),
    )
  return errors
}

const checkStages = (omitted: readonly string[] = [], at: string): FieldError[] =>
  omitted.flatMap((stage, index) =>
    (stages as readonly string[]).includes(stage)
      ? []
      : [invalidValue(`${at}[${index}]`, stage, `allowed stages are ${stages.join(',')}`)],
  )
