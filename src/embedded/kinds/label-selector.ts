import type { LabelSelector } from 'kubernetes-types/meta/v1.d.ts'
import type { FieldError } from './field-errors.ts'
import { forbiddenField, invalidFor, invalidValue, required } from './field-errors.ts'
import { labelValueFlaws, qualifiedNameFlaws } from './names.ts'

export type { LabelSelector }

type Labels = Readonly<Record<string, string>>

export const checkLabels = (labels: Labels, field: string): FieldError[] =>
  Object.entries(labels).flatMap(([key, value]) => [
    ...invalidFor(field, key, qualifiedNameFlaws(key)),
    ...invalidFor(field, value, labelValueFlaws(value)),
  ])

export function checkLabelSelector(selector: LabelSelector, field: string): FieldError[] {
  const errors = checkLabels(selector.matchLabels ?? {}, `${field}.matchLabels`)
  for (const [index, { key = '', operator = '', values = [] }] of (selector.matchExpressions ?? []).entries()) {
    const path = `${field}.matchExpressions[${index}]`
    if (operator === 'In' || operator === 'NotIn') {
      if (values.length === 0)
        errors.push(required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"))
    } else if (operator === 'Exists' || operator === 'DoesNotExist') {
      if (values.length > 0)
        errors.push(
          forbiddenField(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
        )
    } else errors.push(invalidValue(`${path}.operator`, operator, 'not a valid selector operator'))
    errors.push(...invalidFor(`${path}.key`, key, qualifiedNameFlaws(key)))
    for (const [at, value] of values.entries())
      errors.push(...invalidFor(`${path}.values[${at}]`, value, labelValueFlaws(value)))
  }
  return errors
}

export const isEmptySelector = ({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean =>
  Object.keys(matchLabels).length + matchExpressions.length === 0

/** No selector selects nothing, an empty one everything. The selector must have passed `checkLabelSelector`. */
export function selects(selector: LabelSelector | undefined, labels: Labels): boolean {
  if (!selector) return false
  const { matchLabels = {}, matchExpressions = [] } = selector
  if (Object.entries(matchLabels).some(([key, value]) => labels[key] !== value)) return false
  return matchExpressions.every(({ key, operator, values = [] }) => {
    const value = labels[key]
    if (operator === 'Exists') return value !== undefined
    if (operator === 'DoesNotExist') return value === undefined
    const isIn = value !== undefined && values.includes(value)
    return operator === 'In' ? isIn : !isIn
  })
}

/** As `kubectl get -o wide` shows it and `scale` tells it: `a=b,c in (d,e),!f`, ordered by key. */
export function selectorText(selector: LabelSelector | undefined): string {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {}
  const terms = [
    ...Object.entries(matchLabels).map(([key, value]) => ({ key, text: `${key}=${value}` })),
    ...matchExpressions.map(({ key, operator, values = [] }) => ({ key, text: expressionText(key, operator, values) })),
  ]
  return terms
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ text }) => text)
    .join(',')
}

function expressionText(key: string, operator: string, values: readonly string[]): string {
  const list = `(${[...new Set(values)].sort().join(',')})`
  switch (operator) {
    case 'In':
      return `${key} in ${list}`
    case 'NotIn':
      return `${key} notin ${list}`
    case 'DoesNotExist':
      return `!${key}`
    default:
      return key
  }
}

/** The same in a table, where nothing is told as such. */
export const selectorCell = (selector: LabelSelector | undefined): string => selectorText(selector) || '<none>'

/** `a=b,c=d`, ordered by key. */
export const labelsCell = (labels: Labels | undefined): string => selectorCell({ matchLabels: labels ?? {} })
