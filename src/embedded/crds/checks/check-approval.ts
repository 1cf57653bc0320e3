import type { FieldError } from '../../kinds/field-errors.ts'
import { invalidValue, keyed, required } from '../../kinds/field-errors.ts'
import type { Definition } from '../definition.ts'

const annotation = 'api-approved.kubernetes.io'
const reference = 'see https://github.com/kubernetes/enhancements/pull/1111'
const demand = `protected groups must have approval annotation ${JSON.stringify(annotation)}`

const isProtected = (group: string): boolean =>
  ['k8s.io', 'kubernetes.io'].some((domain) => group === domain || group.endsWith(`.${domain}`))

/** Groups that belong to the Kubernetes project ask for a sign that it agreed. */
export function checkApproval({ metadata, spec }: Definition): FieldError[] {
  if (!isProtected(spec.group ?? '')) return []
  const field = keyed('metadata.annotations', annotation)
  const value = metadata.annotations?.[annotation] ?? ''
  if (value === '') return [required(field, `${demand}, ${reference}`)]
  if (value.startsWith('unapproved') || isUrl(value)) return []
  return [
    invalidValue(field, value, `${demand} with either a URL or a reason starting with "unapproved", ${reference}`),
  ]
}

const isUrl = (text: string): boolean => /^[a-z][a-z0-9+.-]*:\/\/[^/]/i.test(text) && URL.canParse(text)
