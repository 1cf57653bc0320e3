import { isDeepStrictEqual } from 'node:util'
import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import type { ApiObject } from '../objects.ts'
import { timeText } from '../time-text.ts'
import { as } from './define.ts'
import type { FieldError } from './field-errors.ts'
import { duplicateValue, forbiddenField, invalidValue, notSupported, required } from './field-errors.ts'

type Csr = CertificateSigningRequest
type Condition = NonNullable<NonNullable<Csr['status']>['conditions']>[number]

const field = 'status.conditions'
const decisions = ['Approved', 'Denied']
const lasting = [...decisions, 'Failed']

const conditionsOf = (object: ApiObject): Condition[] => as<Csr>(object).status?.conditions ?? []
const ofType = (object: ApiObject, type: string): Condition[] =>
  conditionsOf(object).filter((condition) => condition.type === type)

export function conditionErrors(object: ApiObject, old: ApiObject): FieldError[] {
  const errors: FieldError[] = []
  const seen = new Set<string>()
  const wasBoth = decisions.every((type) => ofType(old, type).length > 0)
  for (const [index, { type = '', status = '' }] of conditionsOf(object).entries()) {
    const path = `${field}[${index}]`
    if (type === '') errors.push(required(`${path}.type`))
    const allowed = lasting.includes(type) ? ['True'] : ['False', 'True', 'Unknown']
    if (status === '') errors.push(required(`${path}.status`))
    else if (!allowed.includes(status)) errors.push(notSupported(`${path}.status`, status, allowed))
    const other = type === 'Approved' ? 'Denied' : type === 'Denied' ? 'Approved' : undefined
    if (other && seen.has(other) && !wasBoth)
      errors.push(invalidValue(field, type, 'Approved and Denied conditions are mutually exclusive'))
    if (seen.has(type)) errors.push(duplicateValue(`${path}.type`, type))
    seen.add(type)
  }
  return errors
}

/** A decision lasts. It is made through `approval` alone. */
export function conditionUpdateErrors(
  object: ApiObject,
  old: ApiObject,
  { mayDecide }: { mayDecide: boolean },
): FieldError[] {
  const errors: FieldError[] = []
  for (const type of lasting) {
    if (ofType(object, type).length < ofType(old, type).length)
      errors.push(forbiddenField(field, `updates may not remove a condition of type "${type}"`))
  }
  if (mayDecide) return errors
  for (const type of decisions) {
    const [after, before] = [ofType(object, type), ofType(old, type)]
    if (after.length > before.length)
      errors.push(forbiddenField(field, `updates may not add a condition of type "${type}"`))
    else if (after.length === before.length && !isDeepStrictEqual(after, before))
      errors.push(forbiddenField(field, `updates may not modify a condition of type "${type}"`))
  }
  return errors
}

/** Unless one was added or removed, which is an error, decisions stay as they were. */
export function keepDecisions(object: ApiObject, old: ApiObject): void {
  const conditions = conditionsOf(object)
  for (const type of decisions) {
    const before = ofType(old, type)
    if (before.length !== ofType(object, type).length) continue
    for (const [index, condition] of conditions.entries()) {
      if (condition.type === type) conditions[index] = before.shift() ?? condition
    }
  }
}

/** Fills in when a condition was updated and when it came to be what it is. */
export function stampConditions(object: ApiObject, old: ApiObject, now: Date): void {
  const status = as<Csr>(object).status
  if (!status?.conditions) return
  const time = timeText(now)
  status.conditions = status.conditions.map((condition) => {
    const before = conditionsOf(old).find(({ type, status }) => type === condition.type && status === condition.status)
    return {
      ...condition,
      lastUpdateTime: condition.lastUpdateTime ?? time,
      lastTransitionTime: condition.lastTransitionTime ?? before?.lastTransitionTime ?? time,
    }
  })
}
