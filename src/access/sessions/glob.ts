/**
 * Whether the whole name fits the pattern. `*` stands for any text, also for none; every other character for itself.
 * Not a regular expression: the time it takes grows with the length of the name and of the pattern, whoever wrote them.
 */
export function fits(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  if (rest.length === 0) return pattern === name
  const last = rest.pop() ?? ''
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false
  const end = name.length - last.length
  let from = first.length
  for (const part of rest) {
    const at = name.indexOf(part, from)
    if (at < 0 || at + part.length > end) return false
    from = at + part.length
  }
  return true
}

export const fitsAny = (patterns: readonly string[], name: string): boolean =>
  patterns.some((pattern) => fits(pattern, name))
