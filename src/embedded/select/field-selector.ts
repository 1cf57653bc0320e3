import { goQuote } from '../go-quote.ts'
import { compareBytes } from '../storage/order.ts'
import { checkLength, SelectorFailure } from './label-selector.ts'

export interface FieldRequirement {
  readonly field: string
  readonly equals: boolean
  readonly value: string
}

/** All requirements hold. */
export type FieldSelector = readonly FieldRequirement[]

export const matchesFields = (selector: FieldSelector, fieldValue: (field: string) => string): boolean =>
  selector.every(({ field, equals, value }) => (fieldValue(field) === value) === equals)

/** The value that a field must have, when the selector says so. */
export const exactField = (selector: FieldSelector, field: string): string | undefined =>
  selector.find((requirement) => requirement.field === field && requirement.equals)?.value

/** Reads `metadata.name=a,status.phase!=b`, whatever the fields are. The requirements are in order. */
export function parseFieldSelector(text: string): FieldSelector {
  checkLength(text)
  return splitTerms(text)
    .sort(compareBytes)
    .filter((term) => term !== '')
    .map((term) => requirementOf(term, text))
    .filter(({ field, value }) => field !== '' || value !== '')
}

/** Fields that a kind can be selected by. */
export interface KnownFields {
  readonly names: readonly string[]
  /** Of kinds that have no fields of their own: the refusal names the two that all have. */
  readonly areCommon: boolean
}

export function checkFields(selector: FieldSelector, { names, areCommon }: KnownFields): void {
  const unknown = selector.find(({ field }) => !names.includes(field))
  if (!unknown) return
  throw new SelectorFailure(
    areCommon
      ? `${goQuote(unknown.field)} is not a known field selector: only "metadata.name", "metadata.namespace"`
      : `field label not supported: ${unknown.field}`,
  )
}

/** At commas that no backslash precedes. */
function splitTerms(text: string): string[] {
  const terms: string[] = []
  let start = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === ',') {
      terms.push(text.slice(start, at))
      start = at + 1
    }
  }
  terms.push(text.slice(start))
  return terms
}

function requirementOf(term: string, whole: string): FieldRequirement {
  const found = /!=|==|=/.exec(term)
  if (!found) throw new SelectorFailure(`invalid selector: '${whole}'; can't understand '${term}'`)
  const [operator] = found
  const value = unescaped(term.slice(found.index + operator.length))
  return { field: term.slice(0, found.index), equals: operator !== '!=', value }
}

/** Backslashes are for what would otherwise end a value: `\\`, `\,` and `\=`. */
function unescaped(value: string): string {
  return value.replace(/\\(.?)|=/gsu, (found, escaped: string | undefined) => {
    if (found === '=') throw new SelectorFailure('invalid field selector: unescaped character in value: 61')
    if (escaped === '\\' || escaped === ',' || escaped === '=') return escaped
    throw new SelectorFailure(`invalid field selector: invalid escape sequence: ${found}`)
  })
}
