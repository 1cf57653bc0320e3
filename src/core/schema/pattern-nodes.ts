/** Between two characters, or at an end of the text. */
export interface Place {
  readonly before: number | undefined
  readonly after: number | undefined
}

export type Node =
  | { readonly type: 'one'; readonly matches: (point: number) => boolean }
  | { readonly type: 'at'; readonly holds: (place: Place) => boolean }
  | { readonly type: 'all' | 'either'; readonly parts: readonly Node[] }
  | {
      readonly type: 'repeat'
      readonly part: Node
      readonly least: number
      readonly most: number | undefined
      /** Rather few than many. */
      readonly isLazy: boolean
    }

const isWord = (point: number | undefined): boolean => point !== undefined && /^\w$/.test(String.fromCodePoint(point))
const isEdge = ({ before, after }: Place): boolean => isWord(before) !== isWord(after)
const newline = 10

/** At the beginning of the text. */
export const isAtStart = ({ before }: Place): boolean => before === undefined

/** The forms in which `goPattern` writes what takes no character. */
const assertions: readonly (readonly [source: string, holds: (place: Place) => boolean])[] = [
  ['$', ({ after }) => after === undefined],
  ['(?=\\n|$)', ({ after }) => after === undefined || after === newline],
  ['(?<=\\n)', ({ before }) => before === newline],
  ['^', isAtStart],
  ['\\b', isEdge],
  ['\\B', (place) => !isEdge(place)],
]

/** Takes an expression apart that `goPattern` has written. */
export const parseTranslated = (source: string): Node => new Parser(source).whole()

class Parser {
  readonly #source: string
  readonly #singles = new Map<string, Node>()
  #at = 0

  constructor(source: string) {
    this.#source = source
  }

  whole(): Node {
    return this.#alternatives(false)
  }

  #alternatives(isCaseless: boolean): Node {
    const ways: Node[] = []
    let parts: Node[] = []
    for (let char = this.#char(); char !== '' && char !== ')'; char = this.#char()) {
      if (char === '|') {
        this.#at++
        ways.push({ type: 'all', parts })
        parts = []
      } else parts.push(this.#repeated(isCaseless))
    }
    return ways.length === 0 ? { type: 'all', parts } : { type: 'either', parts: [...ways, { type: 'all', parts }] }
  }

  #repeated(isCaseless: boolean): Node {
    const part = this.#atom(isCaseless)
    const found = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/.exec(this.#source.slice(this.#at, this.#at + 24))
    if (!found) return part
    this.#at += found[0].length
    const [, sign, from = '0', comma, to] = found
    const least = sign ? (sign === '+' ? 1 : 0) : Number(from)
    const most = sign ? (sign === '?' ? 1 : undefined) : comma ? (to ? Number(to) : undefined) : least
    return { type: 'repeat', part, least, most, isLazy: found[0].length > 1 && found[0].endsWith('?') }
  }

  #atom(isCaseless: boolean): Node {
    for (const [source, holds] of assertions)
      if (this.#source.startsWith(source, this.#at)) {
        this.#at += source.length
        return { type: 'at', holds }
      }
    const group = /^\(\?(-?i)?:/.exec(this.#source.slice(this.#at, this.#at + 5))
    if (!group) return this.#single(isCaseless)
    this.#at += group[0].length
    const inner = this.#alternatives(group[1] ? group[1] === 'i' : isCaseless)
    this.#at++
    return inner
  }

  #single(isCaseless: boolean): Node {
    const start = this.#at
    this.#at = this.#char() === '[' ? this.#endOfClass() : start + this.#lengthOfCharacter()
    const flags = isCaseless ? 'vi' : 'v'
    const token = this.#source.slice(start, this.#at)
    const key = `${flags} ${token}`
    const node = this.#singles.get(key) ?? { type: 'one', matches: characterTest(new RegExp(`^${token}$`, flags)) }
    this.#singles.set(key, node)
    return node
  }

  #endOfClass(): number {
    let depth = 0
    for (let at = this.#at; ; at++) {
      const char = this.#source[at]
      if (char === undefined) return at
      if (char === '\\') at++
      else if (char === '[') depth++
      else if (char === ']' && --depth === 0) return at + 1
    }
  }

  #lengthOfCharacter(): number {
    const escaped = /^\\(?:[pPu]\{[^}]*\}|x[0-9A-Fa-f]{2}|.)/.exec(this.#source.slice(this.#at))
    return escaped?.[0].length ?? this.#char().length
  }

  #char(): string {
    const point = this.#source.codePointAt(this.#at)
    return point === undefined ? '' : String.fromCodePoint(point)
  }
}

const mostAscii = 128

/** Answers for ASCII are remembered: a regular expression costs more than a look. */
function characterTest(expression: RegExp): (point: number) => boolean {
  const known = new Int8Array(mostAscii).fill(-1)
  return (point) => {
    if (point >= mostAscii) return expression.test(String.fromCodePoint(point))
    if (known[point] === -1) known[point] = Number(expression.test(String.fromCodePoint(point)))
    return known[point] === 1
  }
}
