/** Where the first byte stands that makes this no base64, as Go counts. Undefined when all is well. */
export function illegalBase64At(text: string): number | undefined {
  let at = 0
  while (true) {
    for (let taken = 0; taken < 4; taken++) {
      while (isNewline(text, at)) at++
      if (at >= text.length) return taken === 0 ? undefined : at - taken
      const character = text.charAt(at++)
      if (/[A-Za-z0-9+/]/.test(character)) continue
      if (character !== '=' || taken < 2) return at - 1
      if (taken === 2) {
        while (isNewline(text, at)) at++
        if (at === text.length) return at
        if (text.charAt(at++) !== '=') return at - 2
      }
      while (isNewline(text, at)) at++
      return at < text.length ? at : undefined
    }
  }
}

const isNewline = (text: string, at: number): boolean => text[at] === '\n' || text[at] === '\r'

/** The same bytes as every encoder writes them, or undefined for what is no base64. */
export function canonicalBase64(text: string): string | undefined {
  if (text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)) {
    if (!text.endsWith('=')) return text
    // The bits behind the last byte may be anything.
    const last = Buffer.from(text.slice(-4), 'base64').toString('base64')
    return text.endsWith(last) ? text : text.slice(0, -4) + last
  }
  return illegalBase64At(text) === undefined ? Buffer.from(text, 'base64').toString('base64') : undefined
}
