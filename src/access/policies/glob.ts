/** A pattern with `*` for any text, also none, and `?` for one character. */
export interface Glob {
  /** What everything that fits begins with. */
  readonly prefix: string
  /** Whether only `prefix` itself fits. */
  readonly isLiteral: boolean
  fits(text: string): boolean
}

export function glob(pattern: string): Glob {
  const wild = pattern.search(/[*?]/)
  if (wild === -1) return { prefix: pattern, isLiteral: true, fits: (text) => text === pattern }
  const prefix = pattern.slice(0, wild)
  const fits =
    pattern === `${prefix}*` ? (text: string) => text.startsWith(prefix) : (text: string) => fitsGlob(pattern, text)
  return { prefix, isLiteral: false, fits }
}

/**
 * Takes as little as it can for each `*`, and on a mismatch one more for the last of them only: an earlier one never
 * has to be looked at again. Not a regular expression, whose backtracking a pattern could make exponential.
 */
function fitsGlob(pattern: string, text: string): boolean {
  let [at, read] = [0, 0]
  let [star, taken] = [-1, 0]
  while (read < text.length) {
    if (pattern[at] === '*') {
      star = at
      taken = read
      at += 1
    } else if (at < pattern.length && (pattern[at] === '?' || pattern[at] === text[read])) {
      at += 1
      read += 1
    } else if (star !== -1) {
      taken += 1
      read = taken
      at = star + 1
    } else return false
  }
  while (pattern[at] === '*') at += 1
  return at === pattern.length
}
