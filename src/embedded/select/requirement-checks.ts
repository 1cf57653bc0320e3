import type { FieldError } from '../../core/schema/field-errors.ts'
import { fieldErrorText } from '../../core/schema/field-errors.ts'
import { goQuote } from '../go-quote.ts'
import { labelValueFlaws, qualifiedNameFlaws } from '../kinds/names.ts'
import type { Requirement } from './label-selector.ts'
import { integerOf, SelectorFailure } from './label-selector.ts'

/** The forms of keys and values in a selector, with Kubernetes' words for what is wrong about them. */

const flawed = (field: string, value: string, flaws: readonly string[]): FieldError[] =>
  flaws.length === 0
    ? []
    : [{ reason: 'FieldValueInvalid', field, message: `Invalid value: ${goQuote(value)}: ${flaws.join('; ')}` }]

function refuse(errors: readonly FieldError[]): void {
  const texts = errors.map(fieldErrorText)
  if (texts.length > 0) throw new SelectorFailure(texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`)
}

export const checkKey = (key: string): void => refuse(flawed('<nil>', key, qualifiedNameFlaws(key)))

export function checkValues(key: string, operator: Requirement['operator'], values: readonly string[]): void {
  const notNumbers =
    operator === 'gt' || operator === 'lt' ? values.filter((value) => integerOf(value) === undefined) : []
  refuse([
    ...notNumbers.flatMap((value) =>
      flawed('values[0]', value, ["for 'Gt', 'Lt' operators, the value must be an integer"]),
    ),
    ...values.flatMap((value, index) => flawed(`values[${index}][${key}]`, value, labelValueFlaws(value))),
  ])
}
