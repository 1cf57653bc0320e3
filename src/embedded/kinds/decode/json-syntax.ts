import { goQuote } from '../../go-quote.ts'

/** Levels of nesting that are read. The real server reads 10,000; whoever walks an object here does it on the stack. */
export const deepestNesting = 1_000

/** Why this is not JSON, in the words of Kubernetes' parser. Undefined when it is. */
export function syntaxError(bytes: Uint8Array): string | undefined {
  try {
    new Reader(bytes).whole()
    return undefined
  } catch (error) {
    if (error instanceof Malformed) return error.message
    throw error
  }
}

class Malformed extends Error {}

const openObject = 0x7b
const closeObject = 0x7d
const openArray = 0x5b
const closeArray = 0x5d
const quote = 0x22
const literals: Readonly<Record<number, string>> = { 116: 'true', 102: 'false', 110: 'null' }

class Reader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  whole(): void {
    const open: number[] = []
    this.#toValue()
    do {
      const opened = this.#value(open.length)
      if (opened) {
        open.push(opened)
        if (!this.#isClosedAtOnce(opened)) continue
        open.pop()
      }
      while (open.length > 0 && this.#isOver(open.at(-1) as number)) open.pop()
    } while (open.length > 0)
    if (this.#peek(true) !== undefined) this.#fail('after top-level value')
  }

  /** Reads a scalar, or the bracket that opens something. */
  #value(depth: number): number | undefined {
    const first = this.#next()
    if (first === openObject || first === openArray) {
      if (depth + 1 > deepestNesting) this.#back('exceeded max depth')
      return first
    }
    if (first === quote) this.#string()
    else if (first === 0x2d || isDigit(first)) this.#number(first)
    else if (literals[first]) this.#literal(literals[first])
    else this.#back('looking for beginning of value')
    return undefined
  }

  #isClosedAtOnce(opened: number): boolean {
    const next = this.#peek(true)
    if (next === (opened === openObject ? closeObject : closeArray)) {
      this.#at++
      return true
    }
    if (opened === openObject) this.#key()
    return false
  }

  /** After a member: true when that was the last one, otherwise it stands before the next value. */
  #isOver(opened: number): boolean {
    this.#toValue()
    const next = this.#next()
    if (next === (opened === openObject ? closeObject : closeArray)) return true
    if (next !== 0x2c) this.#back(opened === openObject ? 'after object key:value pair' : 'after array element')
    if (opened === openObject) this.#key()
    else this.#toValue()
    return false
  }

  #key(): void {
    this.#toValue()
    if (this.#next() !== quote) this.#back('looking for beginning of object key string')
    this.#string()
    this.#toValue()
    if (this.#next() !== 0x3a) this.#back('after object key')
    this.#toValue()
  }

  #string(): void {
    for (let next = this.#next(); next !== quote; next = this.#next()) {
      if (next < 0x20) this.#back('in string literal')
      if (next !== 0x5c) continue
      const escaped = this.#expect(isEscape, 'in string escape code')
      if (escaped === 0x75) for (let i = 0; i < 4; i++) this.#expect(isHex, 'in \\u hexadecimal character escape')
    }
  }

  #number(first: number): void {
    let digit = first
    if (first === 0x2d) digit = this.#expect(isDigit, 'in numeric literal')
    if (digit !== 0x30) this.#digits()
    if (this.#peek() === 0x2e) {
      this.#at++
      this.#expect(isDigit, 'after decimal point in numeric literal')
      this.#digits()
    }
    if (this.#peek() === 0x65 || this.#peek() === 0x45) {
      this.#at++
      if (this.#peek() === 0x2b || this.#peek() === 0x2d) this.#at++
      this.#expect(isDigit, 'in exponent of numeric literal')
      this.#digits()
    }
  }

  #digits(): void {
    while (isDigit(this.#peek())) this.#at++
  }

  #literal(word: string): void {
    for (const letter of word.slice(1))
      this.#expect((byte) => byte === letter.charCodeAt(0), `in literal ${word} (expecting '${letter}')`)
  }

  /** Go reads on behind the end as if a space stood there. */
  #expect(isRight: (byte: number) => boolean, where: string): number {
    if (this.#peek() === undefined) throw new Malformed(`invalid character ' ' ${where}`)
    const next = this.#next()
    if (!isRight(next)) this.#back(where)
    return next
  }

  #toValue(): void {
    this.#peek(true)
  }

  #peek(pastSpace = false): number | undefined {
    if (pastSpace) while (isSpace(this.#bytes[this.#at])) this.#at++
    return this.#bytes[this.#at]
  }

  #next(): number {
    const next = this.#bytes[this.#at++]
    if (next === undefined) throw new Malformed('unexpected end of JSON input')
    return next
  }

  #back(where: string): never {
    this.#at--
    return this.#fail(where)
  }

  #fail(where: string): never {
    throw new Malformed(`invalid character ${quotedByte(this.#bytes[this.#at] as number)} ${where}`)
  }
}

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39
const isEscape = (byte: number): boolean => 'ubfnrt\\/"'.includes(String.fromCharCode(byte))
const isHex = (byte: number): boolean => isDigit(byte) || /[a-fA-F]/.test(String.fromCharCode(byte))
const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

function quotedByte(byte: number): string {
  const character = String.fromCharCode(byte)
  if (character === "'") return "'\\''"
  if (character === '"') return `'"'`
  return `'${goQuote(character).slice(1, -1)}'`
}
