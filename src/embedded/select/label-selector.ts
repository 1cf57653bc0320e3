export type Labels = Readonly<Record<string, string>>

type Operator = '=' | '!=' | 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt'

export interface Requirement {
  readonly key: string
  readonly operator: Operator
  readonly values: readonly string[]
}

/** All requirements hold; none of them selects everything. */
export type LabelSelector = readonly Requirement[]

/** Why a selector cannot be understood, in Kubernetes' words. */
export class SelectorFailure extends Error {}

export const matchesLabels = (selector: LabelSelector, labels: Labels = {}): boolean =>
  selector.every((requirement) => meets(requirement, labels))

function meets({ key, operator, values }: Requirement, labels: Labels): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined
  switch (operator) {
    case '=':
    case 'in':
      return value !== undefined && values.includes(value)
    case '!=':
    case 'notin':
      return value === undefined || !values.includes(value)
    case 'exists':
      return value !== undefined
    case '!':
      return value === undefined
    case 'gt':
      return isInteger(value) && BigInt(value) > BigInt(values[0] ?? 0)
    case 'lt':
      return isInteger(value) && BigInt(value) < BigInt(values[0] ?? 0)
  }
}

const isInteger = (value: string | undefined): value is string => value !== undefined && /^-?\d+$/.test(value)

const symbols = ['!=', '==', '=', '!', '(', ')', ',', '>', '<']
const notAWord = /[\s!=(),<>]/

function tokensOf(text: string): string[] {
  const tokens: string[] = []
  let at = 0
  while (at < text.length) {
    if (/\s/.test(text.charAt(at))) {
      at++
      continue
    }
    const symbol = symbols.find((candidate) => text.startsWith(candidate, at))
    let end = at + (symbol?.length ?? 0)
    if (!symbol) while (end < text.length && !notAWord.test(text.charAt(end))) end++
    tokens.push(text.slice(at, end))
    at = end
  }
  return tokens
}

const isWord = (token: string | undefined): token is string => token !== undefined && !symbols.includes(token)

/** Reads `a=b,c!=d,e in (f,g),h,!i`. */
export function parseLabelSelector(text: string): LabelSelector {
  const tokens = tokensOf(text)
  const requirements: Requirement[] = []
  let at = 0
  const fail = (expected: string): SelectorFailure =>
    new SelectorFailure(`unable to parse requirement: found '${tokens[at] ?? ''}', expected: ${expected}`)
  const take = (): string => tokens[at++] ?? ''

  function key(): string {
    const token = tokens[at]
    if (!isWord(token))
      throw fail(token === undefined ? "!, identifier, or 'end of string'" : "!, identifier, or 'end of string'")
    at++
    return token
  }

  function valuesInBrackets(): string[] {
    if (tokens[at] !== '(') throw fail("'('")
    at++
    const values: string[] = []
    if (tokens[at] === ')') throw fail("',', ')' or identifier")
    for (;;) {
      if (isWord(tokens[at])) values.push(take())
      else if (tokens[at] === ',' || tokens[at] === ')') values.push('')
      else throw fail("',', ')' or identifier")
      if (tokens[at] === ')') {
        at++
        return [...new Set(values)]
      }
      if (tokens[at] !== ',') throw fail("',' or ')'")
      at++
    }
  }

  function exactValue(): string {
    const token = tokens[at]
    if (token === undefined || token === ',') return ''
    if (!isWord(token)) throw fail('identifier')
    at++
    return token
  }

  function requirement(): Requirement {
    if (tokens[at] === '!') {
      at++
      return { key: key(), operator: '!', values: [] }
    }
    const name = key()
    const token = tokens[at]
    if (token === undefined || token === ',') return { key: name, operator: 'exists', values: [] }
    at++
    switch (token) {
      case '=':
      case '==':
        return { key: name, operator: '=', values: [exactValue()] }
      case '!=':
        return { key: name, operator: '!=', values: [exactValue()] }
      case '>':
        return { key: name, operator: 'gt', values: [exactValue()] }
      case '<':
        return { key: name, operator: 'lt', values: [exactValue()] }
      case 'in':
      case 'notin':
        return { key: name, operator: token, values: valuesInBrackets() }
      default:
        at--
        throw fail('in, notin, =, ==, !=, gt, lt')
    }
  }

  while (at < tokens.length) {
    const parsed = requirement()
    checkRequirement(parsed)
    requirements.push(parsed)
    if (at === tokens.length) break
    if (tokens[at] !== ',') throw fail("',' or 'end of string'")
    at++
    if (at === tokens.length) throw new SelectorFailure(`found '', expected: identifier after ','`)
  }
  return requirements
}

const namePart = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const labelValue = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/

const nameWords =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
const valueWords =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"

function checkRequirement({ key, operator, values }: Requirement): void {
  const [name = '', ...rest] = key.split('/').reverse()
  const domain = rest.length === 1 ? rest[0] : undefined
  const badDomain = rest.length > 1 || (domain !== undefined && !subdomain.test(domain))
  if (badDomain || !namePart.test(name) || name.length > 63)
    throw new SelectorFailure(`key: Invalid value: ${JSON.stringify(key)}: ${nameWords}`)
  if ((operator === 'gt' || operator === 'lt') && !values.every(isInteger))
    throw new SelectorFailure(
      `values[0][${key}]: Invalid value: ${JSON.stringify(values[0])}: for 'Gt', 'Lt' operators, the value must be an integer`,
    )
  const wrong = values.findIndex((value) => value.length > 63 || !labelValue.test(value))
  if (wrong >= 0)
    throw new SelectorFailure(
      `values[${wrong}][${key}]: Invalid value: ${JSON.stringify(values[wrong])}: ${valueWords}`,
    )
}

/** As objects write it: `matchLabels` and `matchExpressions`. */
export interface SelectorObject {
  matchLabels?: Record<string, string>
  matchExpressions?: { key: string; operator: string; values?: string[] }[]
}

const operators: Record<string, Operator> = { In: 'in', NotIn: 'notin', Exists: 'exists', DoesNotExist: '!' }

/** A selector that an object holds. Undefined selects nothing in most places; ask before calling. */
export function selectorOf({ matchLabels = {}, matchExpressions = [] }: SelectorObject): LabelSelector {
  return [
    ...Object.entries(matchLabels).map(([key, value]): Requirement => ({ key, operator: '=', values: [value] })),
    ...matchExpressions.map(({ key, operator, values = [] }): Requirement => {
      const known = operators[operator]
      if (!known) throw new SelectorFailure(`${JSON.stringify(operator)} is not a valid label selector operator`)
      return { key, operator: known, values }
    }),
  ]
}
