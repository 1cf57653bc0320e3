import type { Flaw } from './compile-failure.ts'
import { undeclared } from './compile-failure.ts'
import type { Token } from './tokens.ts'
import { tokensOf } from './tokens.ts'

/**
 * What is wrong with the form of an expression, in the words of cel-go. The library's own parser stops at the first
 * error with words of its own, and takes some things that cel-go does not.
 */
export function syntaxFlaws(expression: string): Flaw[] {
  const size = expression.length > longest ? [...expression].length : 0
  if (size > longest)
    return [{ offset: -1, words: `expression code point size exceeds limit: size: ${size}, limit ${longest}` }]
  const { tokens, flaws } = tokensOf(expression)
  const reader = new Reader(tokens, flaws)
  try {
    reader.whole()
  } catch (error) {
    if (error !== stop) throw error
  }
  return flaws
}

/** Thrown where cel-go gives up on a part of an expression: what it says beyond that helps nobody. */
const stop = new Error('no further')

const longest = 100_000
/** As deep as expressions may stand in each other. */
const deepest = 250

const literals = ["'true'", "'false'", "'null'", 'NUM_FLOAT', 'NUM_INT', 'NUM_UINT', 'STRING', 'BYTES', 'IDENTIFIER']
const set = (...signs: string[]): string => `{${[...signs.map((sign) => `'${sign}'`), ...literals].join(', ')}}`

const expected = {
  expression: set('[', '{', '(', '.', '-', '!'),
  argument: set('[', '{', '(', ')', '.', '-', '!'),
  index: set('[', '{', '(', '.', '-', '!', '?'),
  item: set('[', ']', '{', '(', '.', ',', '-', '!', '?'),
  entry: set('[', '{', '}', '(', '.', ',', '-', '!', '?'),
}

const reserved: ReadonlySet<string> = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(' '),
)

const [mostInt, mostUint] = [2n ** 63n, 2n ** 64n - 1n]

class Reader {
  readonly #tokens: readonly Token[]
  readonly #flaws: Flaw[]
  #at = 0
  #depth = 0

  constructor(tokens: readonly Token[], flaws: Flaw[]) {
    this.#tokens = tokens
    this.#flaws = flaws
  }

  whole(): void {
    this.#expression()
    if (this.#next.kind === 'end') return
    const isLast = this.#after.kind === 'end'
    this.#tell(`${isLast ? 'extraneous' : 'mismatched'} input '${this.#next.text}' expecting <EOF>`)
  }

  get #next(): Token {
    return this.#tokens[this.#at] as Token
  }

  get #after(): Token {
    return this.#tokens[Math.min(this.#at + 1, this.#tokens.length - 1)] as Token
  }

  #is(...signs: string[]): boolean {
    return this.#next.kind === 'sign' && signs.includes(this.#next.text)
  }

  #take(...signs: string[]): boolean {
    if (!this.#is(...signs)) return false
    this.#at++
    return true
  }

  #tell(words: string, { offset } = this.#next): void {
    this.#flaws.push({ offset, words: `Syntax error: ${words}` })
  }

  #giveUp(words: string): never {
    this.#tell(words)
    throw stop
  }

  /** The sign that closes something, or goes on with it. One token too much is passed over. */
  #close(sign: string, mayBeMissing: boolean, wanted = `'${sign}'`): void {
    if (this.#take(sign)) return
    if (this.#after.kind === 'sign' && this.#after.text === sign && this.#next.kind !== 'end') {
      this.#tell(`extraneous input '${this.#next.text}' expecting ${wanted}`)
      this.#at += 2
    } else if (mayBeMissing) this.#tell(`missing '${sign}' at '${this.#next.text}'`)
    else this.#giveUp(`mismatched input '${this.#next.text}' expecting ${wanted}`)
  }

  #expression(wanted = expected.expression): void {
    if (++this.#depth > deepest) this.#refuseDepth()
    this.#operands(wanted)
    if (this.#take('?')) {
      this.#operands(expected.expression)
      this.#close(':', beginsExpression(this.#next))
      this.#expression()
    }
    this.#depth--
  }

  #refuseDepth(): never {
    this.#flaws.splice(0, Infinity, { offset: -1, words: `expression recursion limit exceeded: ${deepest}` })
    throw stop
  }

  #operands(wanted: string): void {
    this.#unary(wanted)
    while (this.#take('||', '&&', '==', '!=', '<', '<=', '>', '>=', 'in', '+', '-', '*', '/', '%'))
      this.#unary(expected.expression)
  }

  #unary(wanted: string): void {
    if (!beginsExpression(this.#next)) {
      if (!beginsExpression(this.#after) || this.#next.kind === 'end')
        this.#giveUp(`mismatched input '${this.#next.text}' expecting ${wanted}`)
      this.#tell(`extraneous input '${this.#next.text}' expecting ${wanted}`)
      this.#at++
    }
    if (this.#take('!')) {
      while (this.#take('!'));
      if (this.#next.kind === 'end') this.#giveUp(`extraneous input '<EOF>' expecting ${expected.expression}`)
      if (this.#is('-') && this.#after.kind !== 'number') this.#at++ && this.#unviable('-')
    } else if (this.#take('-')) {
      while (this.#take('-'));
      if (this.#next.kind === 'end') {
        this.#tell(`no viable alternative at input '-'`)
        this.#giveUp(`mismatched input '<EOF>' expecting ${expected.expression}`)
      }
      if (this.#is('!')) this.#unviable('-')
    }
    this.#take('-')
    this.#member()
  }

  #unviable(before: string): never {
    const { kind, text } = this.#next
    this.#giveUp(`no viable alternative at input '${before}${kind === 'end' ? '' : text}'`)
  }

  #member(): void {
    const start = this.#at
    this.#primary()
    for (;;) {
      if (this.#is('{')) this.#message(start)
      if (this.#take('.')) this.#field()
      else if (this.#take('[')) {
        this.#take('?')
        this.#expression(expected.index)
        this.#close(']', this.#next.kind === 'end')
      } else return
    }
  }

  #field(): void {
    if (this.#take('?') && this.#next.kind !== 'name' && this.#next.kind !== 'quoted') this.#unviable('.?')
    if (this.#next.kind === 'quoted') {
      this.#flaws.push({ offset: this.#next.offset, words: "unsupported syntax: '`'" })
      this.#at++
    } else if (this.#next.kind === 'name') {
      this.#at++
      this.#call()
    } else if (this.#is('true', 'false', 'null'))
      this.#giveUp(`mismatched input '${this.#next.text}' expecting IDENTIFIER`)
    else this.#unviable('.')
  }

  #call(): void {
    if (!this.#take('(') || this.#take(')')) return
    this.#expression(expected.argument)
    while (this.#take(',')) this.#expression()
    this.#close(')', this.#next.kind === 'end')
  }

  #primary(): void {
    const { kind, text, offset } = this.#next
    if (this.#take('(')) {
      this.#expression()
      this.#close(')', this.#next.kind === 'end')
    } else if (this.#take('[')) this.#items()
    else if (this.#take('{')) this.#entries()
    else if (kind === 'number') this.#number()
    else if (kind === 'text' || this.#is('true', 'false', 'null')) this.#at++
    else {
      if (this.#take('.') && this.#next.kind !== 'name') this.#unviable('.')
      if (reserved.has(text)) this.#flaws.push({ offset, words: `reserved identifier: ${text}` })
      this.#at++
      this.#call()
    }
  }

  #items(): void {
    if (this.#take(']')) return
    if (!this.#is(',')) {
      this.#take('?')
      this.#expression(expected.item)
      while (this.#is(',') && !['sign ]', 'sign ,', 'end <EOF>'].includes(`${this.#after.kind} ${this.#after.text}`)) {
        this.#at++
        this.#take('?')
        this.#expression()
      }
    }
    this.#closeList(']')
  }

  #entries(): void {
    if (this.#take('}')) return
    if (!this.#is(',')) {
      this.#entry(expected.entry)
      while (this.#is(',') && beginsExpression(this.#after)) this.#at++ && this.#entry(expected.expression)
    }
    this.#closeList('}')
  }

  /** A comma may stand before the end. */
  #closeList(sign: string): void {
    const isGoodEnd = this.#is(',', sign)
    this.#take(',')
    this.#close(sign, isGoodEnd && this.#next.kind === 'end', isGoodEnd ? `'${sign}'` : `{'${sign}', ','}`)
  }

  #entry(wanted: string): void {
    this.#take('?')
    this.#expression(wanted)
    this.#close(':', beginsExpression(this.#next))
    this.#expression()
  }

  /** `a.Name{field: value}`: there are no types that an expression may make values of. */
  #message(start: number): void {
    const name = this.#tokens.slice(start, this.#at)
    if (name.some(({ kind, text }) => kind !== 'name' && text !== '.')) return
    this.#flaws.push({ offset: this.#next.offset, words: undeclared(name.map(({ text }) => text).join('')) })
    throw stop
  }

  #number(): void {
    const { text, offset } = this.#next
    const isNegative = this.#tokens[this.#at - 1]?.text === '-'
    this.#at++
    const wrong = (kind: string) => this.#flaws.push({ offset, words: `invalid ${kind} literal` })
    if (/^0x|^\d+[uU]?$/.test(text)) {
      const isUint = /[uU]$/.test(text)
      const value = BigInt(text.replace(/[uU]$/, ''))
      if (isUint ? value > mostUint : value > mostInt || (value === mostInt && !isNegative))
        wrong(isUint ? 'uint' : 'int')
    } else if (!Number.isFinite(Number(text))) wrong('double')
  }
}

const beginsExpression = ({ kind, text }: Token): boolean =>
  kind === 'number' ||
  kind === 'text' ||
  kind === 'name' ||
  (kind === 'sign' && ['[', '{', '(', '.', '-', '!', 'true', 'false', 'null'].includes(text))
