import type { PodTemplateSpec } from 'kubernetes-types/core/v1.d.ts'
import type { FieldError } from './field-errors.ts'
import { forbiddenField, invalidFor, invalidValue, mustNotBeNegative, notSupported, required } from './field-errors.ts'
import type { LabelSelector } from './label-selector.ts'
import { checkLabelSelector, isEmptySelector, selects } from './label-selector.ts'
import { percentFlaws } from './names.ts'
import { templateErrors } from './pod-checks.ts'

export interface Workload {
  selector?: LabelSelector | undefined
  template?: PodTemplateSpec | undefined
}

/** Selector and template of a workload that must have both. */
export function selectedTemplateErrors({ selector, template }: Workload): FieldError[] {
  if (!selector) return [required('spec.selector'), ...templateOf({ selector, template }, 'ReplicaSet')]
  const flaws = checkLabelSelector(selector, 'spec.selector')
  return [
    ...flaws,
    ...emptySelectorErrors(selector, 'deployment'),
    ...(flaws.length > 0
      ? [invalidValue('spec.selector', selector, 'invalid label selector')]
      : templateOf({ selector, template }, 'ReplicaSet')),
  ]
}

/** The same of a daemon set. */
export function daemonTemplateErrors({ selector, template }: Workload): FieldError[] {
  const flaws = selector ? checkLabelSelector(selector, 'spec.selector') : []
  return [
    ...flaws,
    ...(flaws.length === 0 ? mismatchErrors({ selector, template }) : []),
    ...(selector ? emptySelectorErrors(selector, 'daemonset') : []),
    ...podTemplateErrors(template, 'DaemonSet'),
  ]
}

const emptySelectorErrors = (selector: LabelSelector, kind: string): FieldError[] =>
  isEmptySelector(selector) ? [invalidValue('spec.selector', selector, `empty selector is invalid for ${kind}`)] : []

const templateOf = (workload: Workload, kind: string): FieldError[] => [
  ...mismatchErrors(workload),
  ...podTemplateErrors(workload.template, kind),
]

/** The pods it makes must be those that it looks for. */
function mismatchErrors({ selector, template }: Workload): FieldError[] {
  const labels = template?.metadata?.labels
  if ((selector && isEmptySelector(selector)) || selects(selector, labels ?? {})) return []
  return [invalidValue('spec.template.metadata.labels', labels ?? null, '`selector` does not match template `labels`')]
}

function podTemplateErrors(template: PodTemplateSpec | undefined, kind: string): FieldError[] {
  const field = 'spec.template'
  const errors = templateErrors(template ?? {}, field)
  const { restartPolicy = '', activeDeadlineSeconds } = template?.spec ?? {}
  if (restartPolicy !== 'Always') errors.push(notSupported(`${field}.spec.restartPolicy`, restartPolicy, ['Always']))
  if (activeDeadlineSeconds !== undefined)
    errors.push(
      forbiddenField(`${field}.spec.activeDeadlineSeconds`, `activeDeadlineSeconds in ${kind} is not Supported`),
    )
  return errors
}

export type IntOrPercent = number | string

export const intOrPercentErrors = (field: string, value: IntOrPercent): FieldError[] =>
  typeof value === 'number' ? mustNotBeNegative(field, value) : invalidFor(field, value, percentFlaws(value))

export const amountOf = (value: IntOrPercent): number =>
  typeof value === 'number' ? value : Number.parseInt(value, 10) || 0

export const moreThanAllErrors = (field: string, value: IntOrPercent): FieldError[] =>
  typeof value === 'string' && percentFlaws(value).length === 0 && amountOf(value) > 100
    ? [invalidValue(field, value, 'must not be greater than 100%')]
    : []

type Counts = Readonly<Record<string, unknown>>

const count = (status: Counts, name: string): number => (typeof status[name] === 'number' ? status[name] : 0)

/** Counts in a status are not negative, and parts are not more than the whole. */
export function replicaStatusErrors(status: Counts, names: readonly string[], parts: readonly string[]): FieldError[] {
  const errors = names.flatMap((name) => mustNotBeNegative(`status.${name}`, count(status, name)))
  for (const part of parts) {
    if (count(status, part) > count(status, 'replicas'))
      errors.push(invalidValue(`status.${part}`, count(status, part), 'cannot be greater than status.replicas'))
  }
  if (parts.includes('availableReplicas') && count(status, 'availableReplicas') > count(status, 'readyReplicas'))
    errors.push(
      invalidValue(
        'status.availableReplicas',
        count(status, 'availableReplicas'),
        'cannot be greater than readyReplicas',
      ),
    )
  return errors
}
