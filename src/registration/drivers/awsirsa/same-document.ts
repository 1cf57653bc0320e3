/** The document as IAM answers with it: JSON, encoded as in a URL. Undefined for what is neither. */
export function readDocument(text: string): unknown {
  try {
    return JSON.parse(text.startsWith('{') ? text : decodeURIComponent(text))
  } catch {
    return undefined
  }
}

/**
 * Whether two policy documents say the same. Neither the order of keys and of lists matters, nor how often something is
 * in a list, nor whether a value stands alone or in a list of one. A principal that became an id is another one.
 */
export const isSameDocument = (one: unknown, other: unknown): boolean => canonical(one) === canonical(other)

function canonical(value: unknown): string {
  if (Array.isArray(value)) {
    const members = [...new Set(value.map(canonical))].sort()
    return members.length === 1 ? String(members[0]) : `[${members.join()}]`
  }
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`)
    return `{${members.sort().join()}}`
  }
  // IAM takes true and "true" for the same, and answers with the latter.
  return value === undefined ? 'undefined' : JSON.stringify(String(value))
}
