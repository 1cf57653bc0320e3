import type { MatchCondition } from 'kubernetes-types/admissionregistration/v1.d.ts'
import { flawOfCondition } from '../admission/match-conditions.ts'
import type { FieldError } from './field-errors.ts'
import { duplicateValue, invalidFor, invalidValue, required, tooMany } from './field-errors.ts'
import { qualifiedNameFlaws } from './names.ts'

const most = 64

export function matchConditionErrors(conditions: readonly MatchCondition[], field: string): FieldError[] {
  const errors = conditions.length > most ? [tooMany(field, conditions.length, most)] : []
  const names = new Set<string>()
  for (const [index, { name = '', expression = '' }] of conditions.entries()) {
    const path = `${field}[${index}]`
    const trimmed = expression.trim()
    if (trimmed === '') errors.push(required(`${path}.expression`))
    else errors.push(...expressionErrors(trimmed, `${path}.expression`))
    if (name === '') errors.push(required(`${path}.name`))
    else errors.push(...invalidFor(`${path}.name`, name, qualifiedNameFlaws(name)))
    if (name !== '' && names.has(name)) errors.push(duplicateValue(`${path}.name`, name))
    names.add(name)
  }
  return errors
}

function expressionErrors(expression: string, field: string): FieldError[] {
  const why = flawOfCondition(expression)
  return why === undefined ? [] : [invalidValue(field, expression, why)]
}
