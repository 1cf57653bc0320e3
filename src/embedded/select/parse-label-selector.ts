import { compareBytes } from '../storage/order.ts'
import type { LabelSelector, Requirement } from './label-selector.ts'
import { checkLength, SelectorFailure } from './label-selector.ts'
import { checkKey, checkValues } from './requirement-checks.ts'

const symbols: ReadonlySet<string> = new Set(['!=', '==', '=', '!', '(', ')', ',', '>', '<'])

/** Everything but the space between. */
const tokensOf = (text: string): readonly string[] => text.match(/!=|==|[=!(),<>]|[^ \t\r\n!=(),<>]+/g) ?? []

const isWord = (token: string | undefined): token is string => token !== undefined && !symbols.has(token)

/** Reads `a=b,c!=d,e in (f,g),h,!i`. */
export function parseLabelSelector(text: string): LabelSelector {
  checkLength(text)
  const tokens = new Tokens(text)
  const requirements: Requirement[] = []
  if (tokens.isOver) return requirements
  if (!tokens.beginsRequirement) throw tokens.unexpected("!, identifier, or 'end of string'")
  for (;;) {
    requirements.push(requirementOf(tokens))
    if (tokens.isOver) return requirements
    if (!tokens.skip(',')) throw tokens.unexpected("',' or 'end of string'")
    if (!tokens.beginsRequirement) throw tokens.unexpected("identifier after ','")
  }
}

class Tokens {
  readonly #tokens: readonly string[]
  #at = 0

  constructor(text: string) {
    this.#tokens = tokensOf(text)
  }

  get next(): string | undefined {
    return this.#tokens[this.#at]
  }

  get isOver(): boolean {
    return this.next === undefined
  }

  get beginsRequirement(): boolean {
    return this.next === '!' || isWord(this.next)
  }

  /** False when it is not what comes next. */
  skip(token: string): boolean {
    if (this.next !== token) return false
    this.#at++
    return true
  }

  /** The next one if it is a word. */
  word(): string | undefined {
    const { next } = this
    if (!isWord(next)) return undefined
    this.#at++
    return next
  }

  unexpected(expected: string): SelectorFailure {
    return new SelectorFailure(`found '${this.next ?? ''}', expected: ${expected}`)
  }
}

function requirementOf(tokens: Tokens): Requirement {
  try {
    return readRequirement(tokens)
  } catch (error) {
    throw error instanceof SelectorFailure
      ? new SelectorFailure(`unable to parse requirement: ${error.message}`)
      : error
  }
}

function readRequirement(tokens: Tokens): Requirement {
  const isNegated = tokens.skip('!')
  const key = tokens.word()
  if (key === undefined) throw tokens.unexpected('identifier')
  checkKey(key)
  if (isNegated) return { key, operator: '!', values: [] }
  if (tokens.isOver || tokens.next === ',') return { key, operator: 'exists', values: [] }
  const operator = operatorOf(tokens)
  const values = operator === 'in' || operator === 'notin' ? valuesInBrackets(tokens) : [exactValue(tokens)]
  checkValues(key, operator, values)
  return { key, operator, values }
}

const operators = {
  '=': '=',
  '==': '=',
  '!=': '!=',
  '>': 'gt',
  '<': 'lt',
  in: 'in',
  notin: 'notin',
} as const

function operatorOf(tokens: Tokens): (typeof operators)[keyof typeof operators] {
  const { next = '' } = tokens
  if (!Object.hasOwn(operators, next)) throw tokens.unexpected('in, notin, =, ==, !=, gt, lt')
  tokens.skip(next)
  return operators[next as keyof typeof operators]
}

function exactValue(tokens: Tokens): string {
  if (tokens.isOver || tokens.next === ',') return ''
  const value = tokens.word()
  if (value === undefined) throw tokens.unexpected('identifier')
  return value
}

/** In order, each once. Between two commas, and beside one, is the empty value. */
function valuesInBrackets(tokens: Tokens): string[] {
  if (!tokens.skip('(')) throw new SelectorFailure(`found '${tokens.next ?? ''}' expected: '('`)
  const values = new Set<string>()
  let expected = "',', ')' or identifier"
  for (;;) {
    const value = tokens.word()
    if (value === undefined && tokens.next !== ',' && tokens.next !== ')') throw tokens.unexpected(expected)
    values.add(value ?? '')
    if (tokens.skip(')')) return [...values].sort(compareBytes)
    if (!tokens.skip(',')) throw tokens.unexpected("',' or ')'")
    expected = "',', or identifier"
  }
}
