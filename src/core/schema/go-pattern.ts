import { classOf, escapeOf, literal, perlClasses } from './go-pattern-classes.ts'

/**
 * A regular expression in the syntax of Go, in which Kubernetes keeps patterns, as one of JavaScript's. Groups do not
 * capture: patterns are only ever tested. Throws an Error with Go's words for what is no expression there.
 */
export function goPattern(pattern: string): RegExp {
  const source = new Translation(pattern).whole()
  try {
    return new RegExp(source, 'v')
  } catch {
    throw new Error(`error parsing regexp: not served: \`${pattern}\``)
  }
}

/** Groups within groups, as in Go. */
const mostDepth = 1000

/** Repetitions of repetitions may not come to more than this. */
const mostRepeats = 1000

interface Flags {
  i: boolean
  m: boolean
  s: boolean
  /** Greedy and lazy swapped. */
  U: boolean
}

/** A piece that a repetition may follow. */
interface Atom {
  source: string
  repeats: number
}

class Translation {
  readonly #pattern: string
  #at = 0
  #depth = 0

  constructor(pattern: string) {
    this.#pattern = pattern
  }

  whole(): string {
    const source = this.#alternatives({ i: false, m: false, s: false, U: false }).source
    if (this.#at < this.#pattern.length) throw wrong('unexpected )', this.#pattern)
    return source
  }

  /** Up to the end or a closing parenthesis. Flags set on the way hold up to there, across the bars. */
  #alternatives(given: Flags): Atom {
    let flags = { ...given }
    let closing = ''
    let source = ''
    let repeats = 1
    let last: Atom | undefined
    const settle = () => {
      if (last) source += last.source
      last = undefined
    }
    while (this.#at < this.#pattern.length && this.#pattern[this.#at] !== ')') {
      const from = this.#at
      const char = this.#take()
      if (char === '|') {
        settle()
        // A modifier group cannot reach over a bar; it is closed and opened again.
        source += `${closing}|${reopened(closing, flags, given)}`
        continue
      }
      const repeat = this.#repeatAt(from)
      if (repeat) {
        if (!last) throw wrong('missing argument to repetition operator', repeat.text)
        last = this.#repeated(last, repeat, flags)
        continue
      }
      const changed = this.#flagsAt(from, flags)
      settle()
      if (changed) {
        flags = changed
        const opened = modifier(flags, given)
        source += closing + opened
        closing = opened && ')'
        continue
      }
      last = this.#atom(char, from, flags)
      repeats = Math.max(repeats, last.repeats)
    }
    if (last) repeats = Math.max(repeats, last.repeats)
    settle()
    return { source: source + closing, repeats }
  }

  #take(): string {
    const char = String.fromCodePoint(this.#pattern.codePointAt(this.#at) ?? 0)
    this.#at += char.length
    return char
  }

  #atom(char: string, from: number, flags: Flags): Atom {
    if (char === '(') return this.#group(from, flags)
    return { source: this.#single(char, from, flags), repeats: 1 }
  }

  #single(char: string, from: number, flags: Flags): string {
    switch (char) {
      case '.':
        return flags.s ? '[\\s\\S]' : '[^\\n]'
      case '^':
        return flags.m ? '(?:^|(?<=\\n))' : '^'
      case '$':
        return flags.m ? '(?=\\n|$)' : '$'
      case '[': {
        const found = classOf(this.#pattern, from)
        this.#at = found.end
        return found.source
      }
      case '\\':
        return this.#escape(from)
      default:
        return literal(char)
    }
  }

  #escape(from: number): string {
    const next = this.#pattern[this.#at]
    if (next === undefined) throw wrong('trailing backslash at end of expression', '')
    const assertion = { A: '^', z: '$', b: '\\b', B: '\\B' }[next]
    if (assertion !== undefined) {
      this.#at++
      return assertion
    }
    if (next === 'Q') return this.#quoted()
    const perl = perlClasses[next]
    if (perl !== undefined) {
      this.#at++
      return perl
    }
    const { source, end } = escapeOf(this.#pattern, from)
    this.#at = end
    return source
  }

  #quoted(): string {
    const start = this.#at + 1
    const end = this.#pattern.indexOf('\\E', start)
    this.#at = end < 0 ? this.#pattern.length : end + 2
    const text = this.#pattern.slice(start, end < 0 ? undefined : end)
    return text === '' ? '(?:)' : `(?:${[...text].map(literal).join('')})`
  }

  #group(from: number, flags: Flags): Atom {
    let inner = flags
    if (this.#pattern[this.#at] === '?') inner = this.#opening(from, flags)
    if (++this.#depth > mostDepth) throw wrong('expression nests too deeply', this.#pattern)
    const body = this.#alternatives(inner)
    this.#depth--
    if (this.#pattern[this.#at] !== ')') throw wrong('missing closing )', this.#pattern)
    this.#at++
    return { source: `${modifier(inner, flags) || '(?:'}${body.source})`, repeats: body.repeats }
  }

  /** `(?:`, `(?i:`, `(?P<name>`, `(?<name>`; `(?i)` was met before, by `#flagsAt`. */
  #opening(from: number, flags: Flags): Flags {
    const rest = this.#pattern.slice(from)
    if (/^\(\?P?</.test(rest)) {
      const named = /^\(\?P?<(\w+)>/.exec(rest)
      if (!named) throw wrong('invalid named capture', /^\(\?P?<[^>]*>/.exec(rest)?.[0] ?? rest)
      this.#at = from + named[0].length
      return flags
    }
    const changing = /^\(\?([imsU]*)(?:-([imsU]+))?:/.exec(rest)
    if (!changing) throw wrong('invalid or unsupported Perl syntax', /^\(\?[imsU-]*.?/u.exec(rest)?.[0] ?? rest)
    this.#at = from + changing[0].length
    return withFlags(flags, changing[1], changing[2])
  }

  #flagsAt(from: number, flags: Flags): Flags | undefined {
    const found = /^\(\?([imsU]*)(?:-([imsU]+))?\)/.exec(this.#pattern.slice(from, from + 16))
    if (!found || found[0] === '(?)') return undefined
    this.#at = from + found[0].length
    return withFlags(flags, found[1], found[2])
  }

  #repeatAt(from: number): { text: string; most: number } | undefined {
    const rest = this.#pattern.slice(from, from + 24)
    const found = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})/.exec(rest)
    if (!found) return undefined
    this.#at = from + found[0].length
    const [text, least = '1', , most = ''] = found
    const count = Math.max(Number(least), Number(most))
    if (count > mostRepeats || (most !== '' && Number(most) < Number(least))) throw wrong('invalid repeat count', text)
    return { text, most: text.startsWith('{') ? count : 1 }
  }

  #repeated({ source, repeats }: Atom, { text, most }: { text: string; most: number }, flags: Flags): Atom {
    let lazy = flags.U
    let written = text
    if (this.#pattern[this.#at] === '?') {
      this.#at++
      lazy = !lazy
      written += '?'
    }
    const next = this.#repeatAt(this.#at)
    if (next) throw wrong('invalid nested repetition operator', written + next.text)
    const total = repeats * Math.max(1, most)
    if (total > mostRepeats) throw wrong('invalid repeat count', text)
    return { source: `(?:${source})${text}${lazy ? '?' : ''}`, repeats: total }
  }
}

const wrong = (what: string, where: string) => new Error(`error parsing regexp: ${what}: \`${where}\``)

const withFlags = (flags: Flags, on = '', off = ''): Flags => {
  const changed = { ...flags }
  for (const name of on) changed[name as keyof Flags] = true
  for (const name of off) changed[name as keyof Flags] = false
  return changed
}

/** Only case is left to JavaScript; the other flags are translated away. */
const modifier = (flags: Flags, given: Flags): string => (flags.i === given.i ? '' : flags.i ? '(?i:' : '(?-i:')

const reopened = (closing: string, flags: Flags, given: Flags): string => (closing === '' ? '' : modifier(flags, given))
