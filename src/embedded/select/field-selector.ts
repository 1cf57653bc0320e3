import { SelectorFailure } from './label-selector.ts'

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

/** Reads `metadata.name=a,status.phase!=b`. Fields outside of `known` are refused; without it, none are. */
export function parseFieldSelector(text: string, known?: readonly string[]): FieldSelector {
  return splitTerms(text)
    .filter((term) => term !== '')
    .map((term) => requirementOf(term, known))
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

function requirementOf(term: string, known: readonly string[] | undefined): FieldRequirement {
  for (let at = 0; at < term.length; at++) {
    if (term[at] === '\\') {
      at++
      continue
    }
    const operator = ['!=', '==', '='].find((candidate) => term.startsWith(candidate, at))
    if (!operator) continue
    const field = term.slice(0, at)
    if (known && !known.includes(field)) throw new SelectorFailure(unknownField(field, known))
    return { field, equals: operator !== '!=', value: unescaped(term.slice(at + operator.length)) }
  }
  throw new SelectorFailure(`invalid selector: '${term}'; can't understand '${term}'`)
}

const unknownField = (field: string, known: readonly string[]): string =>
  known.length === 2
    ? `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`
    : `field label not supported: ${field}`

const unescaped = (value: string): string => value.replace(/\\([\\,=])/g, '$1')
