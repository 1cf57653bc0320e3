/** Character classes and escapes of Go's regular expressions, in the words of JavaScript's `v` flag. */

export interface Translated {
  readonly source: string
  /** Where the rest of the pattern begins. */
  readonly end: number
}

/** One character that stands for itself. */
export const literal = (char: string): string =>
  /^[0-9A-Za-z_]$/.test(char) ? char : `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`

/** ASCII only, as Go has them. */
export const perlClasses: Readonly<Record<string, string>> = {
  d: '[0-9]',
  D: '[^0-9]',
  w: '[0-9A-Za-z_]',
  W: '[^0-9A-Za-z_]',
  s: '[\\t\\n\\f\\r\\u{20}]',
  S: '[^\\t\\n\\f\\r\\u{20}]',
}

const posixClasses: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  ascii: '\\x00-\\x7f',
  blank: '\\t\\u{20}',
  cntrl: '\\x00-\\x1f\\x7f',
  digit: '0-9',
  graph: '\\x21-\\x7e',
  lower: 'a-z',
  print: '\\x20-\\x7e',
  punct: '\\x21-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7e',
  space: '\\t\\n\\v\\f\\r\\u{20}',
  upper: 'A-Z',
  word: '0-9A-Za-z_',
  xdigit: '0-9A-Fa-f',
}

const controls: Readonly<Record<string, string>> = { a: '\x07', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }

/** The escape that begins at `from`, for a character or a class of Unicode. */
export function escapeOf(pattern: string, from: number): Translated {
  const rest = pattern.slice(from)
  const unicode = /^\\([pP])(?:\{(\^?)([^}]*)\}|(.))/u.exec(rest)
  if (unicode) {
    const [text, letter, not = '', long, short] = unicode
    const source = unicodeClass(long ?? short ?? '', (letter === 'P') !== (not === '^'))
    if (source === undefined) throw wrongRange(text)
    return { source, end: from + text.length }
  }
  const character = characterOf(pattern, from)
  return { source: literal(character.char), end: character.end }
}

/** A general category (`L`, `Nd`) or a script (`Greek`). */
function unicodeClass(name: string, isNegated: boolean): string | undefined {
  if (name === 'Any') return isNegated ? '[^\\s\\S]' : '[\\s\\S]'
  if (!/^\w+$/.test(name)) return undefined
  const letter = isNegated ? 'P' : 'p'
  const candidates = [`\\${letter}{General_Category=${name}}`, `\\${letter}{Script=${name}}`]
  return candidates.find((source) => {
    try {
      return new RegExp(source, 'v')
    } catch {
      return false
    }
  })
}

function characterOf(pattern: string, from: number): { char: string; end: number } {
  const rest = pattern.slice(from)
  const hex = /^\\x(?:\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{2}))/.exec(rest)
  if (hex && Number.parseInt(hex[1] ?? hex[2] ?? '', 16) <= 0x10ffff)
    return { char: String.fromCodePoint(Number.parseInt(hex[1] ?? hex[2] ?? '', 16)), end: from + hex[0].length }
  const octal = /^\\(?:0[0-7]{0,2}|[1-7][0-7]{1,2})/.exec(rest)
  if (octal) return { char: String.fromCodePoint(Number.parseInt(octal[0].slice(1), 8)), end: from + octal[0].length }
  const next = String.fromCodePoint(pattern.codePointAt(from + 1) ?? 0)
  const control = controls[next]
  if (control !== undefined) return { char: control, end: from + 2 }
  if (/^[!-/:-@[-`{-~]$/.test(next)) return { char: next, end: from + 2 }
  throw new Error(`error parsing regexp: invalid escape sequence: \`\\${next}\``)
}

/** The class in brackets that begins at `from`. */
export function classOf(pattern: string, from: number): Translated {
  let at = from + 1
  const isNegated = pattern[at] === '^'
  if (isNegated) at++
  const parts: string[] = []
  for (let isFirst = true; isFirst || pattern[at] !== ']'; isFirst = false) {
    if (at >= pattern.length) throw new Error(`error parsing regexp: missing closing ]: \`${pattern.slice(from)}\``)
    const named = namedClass(pattern, at)
    if (named) {
      parts.push(named.source)
      at = named.end
      continue
    }
    const low = memberOf(pattern, at, from)
    at = low.end
    if (pattern[at] !== '-' || pattern[at + 1] === ']' || at + 1 >= pattern.length) {
      parts.push(literal(low.char))
      continue
    }
    const high = memberOf(pattern, at + 1, from)
    if ((high.char.codePointAt(0) ?? 0) < (low.char.codePointAt(0) ?? 0))
      throw wrongRange(pattern.slice(low.start, high.end))
    parts.push(`${literal(low.char)}-${literal(high.char)}`)
    at = high.end
  }
  return { source: `[${isNegated ? '^' : ''}${parts.join('')}]`, end: at + 1 }
}

/** `[:alpha:]`, `\d`, `\p{L}` inside of brackets. */
function namedClass(pattern: string, at: number): Translated | undefined {
  const posix = /^\[:(\^?)(\w*):\]/.exec(pattern.slice(at))
  if (posix) {
    const members = posixClasses[posix[2] ?? '']
    if (members === undefined) throw wrongRange(posix[0])
    return { source: `[${posix[1]}${members}]`, end: at + posix[0].length }
  }
  if (pattern[at] !== '\\') return undefined
  const letter = pattern[at + 1] ?? ''
  const perl = perlClasses[letter]
  if (perl !== undefined) return { source: perl, end: at + 2 }
  return letter === 'p' || letter === 'P' ? escapeOf(pattern, at) : undefined
}

function memberOf(pattern: string, at: number, from: number): { char: string; start: number; end: number } {
  if (at >= pattern.length) throw new Error(`error parsing regexp: missing closing ]: \`${pattern.slice(from)}\``)
  if (pattern[at] === '\\') return { ...characterOf(pattern, at), start: at }
  const char = String.fromCodePoint(pattern.codePointAt(at) ?? 0)
  return { char, start: at, end: at + char.length }
}

const wrongRange = (where: string) => new Error(`error parsing regexp: invalid character class range: \`${where}\``)
