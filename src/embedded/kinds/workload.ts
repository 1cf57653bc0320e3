import { isDeepStrictEqual } from 'node:util'
import type { PodTemplateSpec } from 'kubernetes-types/core/v1.d.ts'
import type { ApiObject } from '../objects.ts'
import type { Cells } from './define.ts'
import type { FieldError } from './field-errors.ts'
import { immutable, invalidValue } from './field-errors.ts'
import type { LabelSelector } from './label-selector.ts'
import { hostnameWarnings } from './pod.ts'
import { defaultPodSpec } from './pod-defaults.ts'
import { podSpecWarnings } from './pod-warnings.ts'

export interface Spec {
  replicas?: number
  selector?: LabelSelector
  template?: PodTemplateSpec
}

export const specOf = (object: ApiObject): Spec => (object['spec'] ?? {}) as Spec

export function defaultTemplate(object: ApiObject): void {
  object['spec'] ??= {}
  const spec = specOf(object)
  const template = { metadata: {}, ...spec.template, spec: spec.template?.spec ?? { containers: [] } }
  defaultPodSpec(template.spec)
  spec.template = template
}

export const selectorIsFixed = (object: ApiObject, old: ApiObject): FieldError[] =>
  isDeepStrictEqual(specOf(object).selector, specOf(old).selector)
    ? []
    : [invalidValue('spec.selector', specOf(object).selector ?? null, immutable)]

const nameWarnings = ({ metadata }: ApiObject, old?: ApiObject): string[] =>
  old ? [] : hostnameWarnings(metadata.name ?? '', 'this is used in Pod names and hostnames')

/** Of a new object, and of one whose template may have changed. */
export function templateWarnings(object: ApiObject, old?: ApiObject): string[] {
  if (old && old.metadata.generation === object.metadata.generation) return []
  return podSpecWarnings(specOf(object).template?.spec ?? {}, 'spec.template.spec')
}

export const workloadWarnings = (object: ApiObject, old?: ApiObject): string[] => [
  ...nameWarnings(object, old),
  ...templateWarnings(object, old),
]

export const statusOf = (object: ApiObject): Record<string, unknown> =>
  (object['status'] ?? {}) as Record<string, unknown>
export const number = (value: unknown): number => (typeof value === 'number' ? value : 0)

export function podCells(selector: (selector: LabelSelector | undefined) => string): Cells {
  const list = (object: ApiObject, part: 'name' | 'image') =>
    (specOf(object).template?.spec?.containers ?? []).map((container) => container[part] ?? '').join(',')
  return {
    Containers: (object) => list(object, 'name'),
    Images: (object) => list(object, 'image'),
    Selector: (object) => selector(specOf(object).selector),
  }
}

/** With the names of the API server's own fields, as it prints a strategy that it does not know. */
export const printedUpdate = (update?: { maxUnavailable?: unknown; maxSurge?: unknown }): unknown =>
  update ? { MaxUnavailable: update.maxUnavailable ?? null, MaxSurge: update.maxSurge ?? null } : null

/** A count cannot go back. */
export function collisionErrors(object: ApiObject, old: ApiObject): FieldError[] {
  const now = number(statusOf(object)['collisionCount'])
  return now < number(statusOf(old)['collisionCount'])
    ? [invalidValue('status.collisionCount', now, 'cannot be decremented')]
    : []
}

/** The times of a condition are always shown, set or not. */
export function completeConditions(status: Record<string, unknown>, times: readonly string[]): Record<string, unknown> {
  const { conditions } = status
  if (!Array.isArray(conditions)) return status
  const unset = Object.fromEntries(times.map((time) => [time, null]))
  return { ...status, conditions: conditions.map((condition: object) => ({ ...unset, ...condition })) }
}
