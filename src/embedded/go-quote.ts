/** A string as Go's `%q` prints it: how Kubernetes names fields and values in its messages. */
export function goQuote(text: string): string {
  let quoted = '"'
  for (const character of text) quoted += escaped(character)
  return `${quoted}"`
}

/** What has a short escape, in Go as in CEL. */
export const shortEscapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
}

/** What can be seen, and the space. */
export const isPrintable = (character: string): boolean => /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(character)

function escaped(character: string): string {
  const known = shortEscapes[character]
  if (known !== undefined) return known
  if (isPrintable(character)) return character
  const code = character.codePointAt(0) ?? 0
  if (code < 0x80) return `\\x${hex(code, 2)}`
  return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`
}

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0')
