/** `*` for any text, `?` for any character; all of `text` has to fit. */
export function globMatches(pattern: string, text: string): boolean {
  const source = pattern
    .replace(/[\\^$.+()[\]{}|]/g, '\\$&')
    .replace(/\*/g, '.*')
    .replace(/\?/g, '.')
  return new RegExp(`^${source}$`, 's').test(text)
}

/** In each of its six parts, so that a star in one does not swallow the next. */
export function arnMatches(pattern: string, arn: string): boolean {
  if (pattern === '*') return true
  const [wanted, actual] = [arnParts(pattern), arnParts(arn)]
  return wanted.length === actual.length && wanted.every((part, index) => globMatches(part, actual[index] ?? ''))
}

function arnParts(arn: string): string[] {
  const parts = arn.split(':')
  return [...parts.slice(0, 5), parts.slice(5).join(':')]
}

/** `iam:Get*`, whatever the case. */
export const actionMatches = (pattern: string, action: string): boolean =>
  globMatches(pattern.toLowerCase(), action.toLowerCase())
