/** Far longer than a line of ours can be: the body of a request is bounded. */
const longestLine = 64 * 1024 * 1024

/**
 * Lines of a text that comes in pieces. Not readline: that also splits at U+2028, which JSON leaves as it is. A line
 * that has no end is given in parts, so that a file that is none of ours costs no more than to read it once.
 */
export async function* linesIn(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest: string[] = []
  let length = 0
  for await (const piece of pieces) {
    const [first = '', ...more] = piece.split('\n')
    rest.push(first)
    length += first.length
    if (more.length === 0 && length <= longestLine) continue
    yield rest.join('')
    const last = more.pop() ?? ''
    yield* more
    rest = [last]
    length = last.length
  }
  if (length > 0) yield rest.join('')
}
