import type { Flaw } from './compile-failure.ts'

export type TokenKind = 'sign' | 'number' | 'text' | 'name' | 'quoted' | 'end'

export interface Token {
  readonly kind: TokenKind
  /** `<EOF>` at the end. */
  readonly text: string
  readonly offset: number
}

const words: ReadonlySet<string> = new Set(['true', 'false', 'null', 'in'])

const blank = /(?:[\t \r\n\f]|\/\/[^\n]*)+/y
const number = /(?:\d+(?:\.\d+(?:[eE][+-]?\d+)?|[eE][+-]?\d+)|\.\d+(?:[eE][+-]?\d+)?|0x[0-9a-fA-F]+[uU]?|\d+[uU]?)/y
const name = /[A-Za-z_][A-Za-z0-9_]*/y
const quoted = /`[A-Za-z0-9_./ -]+`/y
const sign = /==|!=|<=|>=|&&|\|\||[[\]{}().,?:!<>+\-*/%]/y

const escaped = /\\(?:[abfnrtv"'`\\?]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})/y
const opening = /([bB]?[rR]?|[rR][bB]?)("""|'''|"|')/y

/** The tokens of an expression, and what is none, in the words of cel-go's lexer. What is none is left out. */
export function tokensOf(expression: string): { tokens: Token[]; flaws: Flaw[] } {
  const tokens: Token[] = []
  const flaws: Flaw[] = []
  const at = (pattern: RegExp, offset: number): string => {
    pattern.lastIndex = offset
    return pattern.exec(expression)?.[0] ?? ''
  }
  for (let offset = 0; offset < expression.length; ) {
    const space = at(blank, offset)
    if (space !== '') {
      offset += space.length
      continue
    }
    const text = textAt(expression, offset)
    const found: [TokenKind, string] | undefined = text
      ? ['text', text]
      : ([
          ['number', at(number, offset)],
          ['name', at(name, offset)],
          ['quoted', at(quoted, offset)],
          ['sign', at(sign, offset)],
        ].find(([, part]) => part !== '') as [TokenKind, string] | undefined)
    if (found) {
      const [kind, part] = found
      tokens.push({ kind: words.has(part) ? 'sign' : kind, text: part, offset })
      offset += part.length
    } else {
      const part = strayAt(expression, offset)
      flaws.push({ offset, words: `Syntax error: token recognition error at: '${part}'` })
      offset += part.length
    }
  }
  tokens.push({ kind: 'end', text: '<EOF>', offset: expression.length })
  return { tokens, flaws }
}

/** `.a` is `a`: there are no containers here. The parser of the library does not know it; places stay what they are. */
export function withoutRootDots(expression: string): string {
  if (!/(?:^|[^\w\s)\]}"'`.])\s*\.\s*[A-Za-z_]/.test(expression)) return expression
  const { tokens } = tokensOf(expression)
  const isRootDot = ({ text }: Token, index: number) =>
    text === '.' && tokens[index + 1]?.kind === 'name' && isOperator(tokens[index - 1])
  const dots = tokens.filter(isRootDot).map(({ offset }) => offset)
  return dots.reduce((text, offset) => `${text.slice(0, offset)} ${text.slice(offset + 1)}`, expression)
}

const isOperator = (token: Token | undefined): boolean =>
  token === undefined || (token.kind === 'sign' && ![')', ']', '}', 'true', 'false', 'null'].includes(token.text))

/** A whole text in quotation marks, or nothing. */
function textAt(expression: string, offset: number): string {
  const [found = '', prefix = '', marks = ''] = openingAt(expression, offset)
  if (found === '') return ''
  const end = textEnd(expression, offset + found.length, marks, /[rR]/.test(prefix))
  if (end.isClosed) return expression.slice(offset, end.at)
  // Three marks that do not close are an empty text, and the beginning of another one.
  return marks.length === 3 ? found.slice(0, -1) : ''
}

function openingAt(expression: string, offset: number): string[] {
  opening.lastIndex = offset
  return opening.exec(expression) ?? []
}

/** Where a text ends, or the place behind the sign that cannot be in it. */
function textEnd(expression: string, from: number, marks: string, isRaw: boolean): { at: number; isClosed: boolean } {
  for (let at = from; at < expression.length; ) {
    if (expression.startsWith(marks, at)) return { at: at + marks.length, isClosed: true }
    if (marks.length === 1 && /[\r\n]/.test(expression[at] ?? '')) return { at: at + 1, isClosed: false }
    if (expression[at] !== '\\' || isRaw) at++
    else {
      escaped.lastIndex = at
      const length = escaped.exec(expression)?.[0].length
      if (length === undefined) return { at: at + badEscapeLength(expression, at), isClosed: false }
      at += length
    }
  }
  return { at: expression.length, isClosed: false }
}

/** Up to the sign that does not go on with it. */
function badEscapeLength(expression: string, at: number): number {
  const digits = /^\\(?:[xX][0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7}|[0-3][0-7]?)?/.exec(
    expression.slice(at, at + 12),
  )
  return Math.min((digits?.[0].length ?? 1) + 1, expression.length - at)
}

/** What the lexer has read until it knew that it is no token. */
function strayAt(expression: string, offset: number): string {
  const [found = '', prefix = '', marks = ''] = openingAt(expression, offset)
  if (found !== '')
    return expression.slice(offset, textEnd(expression, offset + found.length, marks, /[rR]/.test(prefix)).at)
  const [first = ''] = expression.slice(offset)
  if (first === '`') return /^`[A-Za-z0-9_./ -]*[^A-Za-z0-9_./ -]?/.exec(expression.slice(offset))?.[0] ?? first
  return '=&|'.includes(first) ? [...expression.slice(offset, offset + 4)].slice(0, 2).join('') : first
}
