/** RFC 9110. The document is the same bytes for the same tag, but what comes beside it may be asked for or not: a weak one. */
export const entityTag = (value: string): string => `W/"${value}"`

/** Whether `If-None-Match` names it, by weak comparison. */
export function matches(header: string | undefined, value: string): boolean {
  if (header === undefined) return false
  if (header.trim() === '*') return true
  return header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === `"${value}"`)
}
