/** What has a short escape, in Go as in CEL. */
export const escapes: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
}

/** A text in quotes, as Go's `%q` writes it. */
export const goQuote = (text: string): string => `"${[...text].map(quoted).join('')}"`

function quoted(character: string): string {
  const known = escapes[character]
  if (known !== undefined) return known
  const point = character.codePointAt(0) as number
  if (point === 0x20 || /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(character)) return character
  if (point < 0x80) return `\\x${point.toString(16).padStart(2, '0')}`
  return point > 0xffff ? `\\U${point.toString(16).padStart(8, '0')}` : `\\u${point.toString(16).padStart(4, '0')}`
}
