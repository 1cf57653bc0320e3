import { isObject } from '../../core/schema/schema.ts'

/** A value as messages of the real server show it in passing: `map[a:1 b:[x y]]`. */
export function goText(value: unknown): string {
  if (value === null || value === undefined) return '<nil>'
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`
  if (!isObject(value)) return String(value)
  const members = Object.keys(value).sort()
  return `map[${members.map((name) => `${name}:${goText(value[name])}`).join(' ')}]`
}

/** The same where they show it as a literal: `map[string]interface {}{"a":1}`. */
export function goSyntax(value: unknown): string {
  if (value === null || value === undefined) return 'interface {}(nil)'
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`
  if (!isObject(value)) return typeof value === 'string' ? goQuote(value) : String(value)
  const members = Object.keys(value).sort()
  return `map[string]interface {}{${members.map((name) => `${goQuote(name)}:${goSyntax(value[name])}`).join(', ')}}`
}

const shortEscapes: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '"': '\\"',
  '\\': '\\\\',
}

/** What can be seen, and the space. */
export const isPrintable = (character: string): boolean => /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(character)

export const goQuote = (text: string): string => `"${[...text].map(quoteCharacter).join('')}"`

function quoteCharacter(character: string): string {
  const short = shortEscapes[character]
  if (short !== undefined) return short
  if (isPrintable(character)) return character
  const code = character.codePointAt(0) ?? 0
  const hex = code.toString(16)
  if (code < 0x80) return `\\x${hex.padStart(2, '0')}`
  return code > 0xffff ? `\\U${hex.padStart(8, '0')}` : `\\u${hex.padStart(4, '0')}`
}
