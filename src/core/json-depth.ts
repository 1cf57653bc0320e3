const quote = 0x22
const backslash = 0x5c
const [openObject, closeObject, openArray, closeArray] = [0x7b, 0x7d, 0x5b, 0x5d]

/**
 * What an API server may send. The schemas of CRDs nest deepest: those of large operators some 40 levels, 10 more within a
 * review of a ManifestWork. A hundred on top of that are still cheap to compare and to copy.
 */
export const mostLevels = 150

/**
 * Whether JSON nests lists and objects deeper than this. To be asked before a body of somebody else's is parsed: a level
 * is one byte to its sender, and a hundred times the work of a flat byte to whoever parses, compares or copies it.
 */
export function nestsDeeper(text: Uint8Array, levels: number): boolean {
  let depth = 0
  let isText = false
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at]
    if (isText) {
      if (byte === backslash) at += 1
      else if (byte === quote) isText = false
    } else if (byte === quote) isText = true
    else if (byte === openObject || byte === openArray) {
      depth += 1
      if (depth > levels) return true
    } else if (byte === closeObject || byte === closeArray) depth -= 1
  }
  return false
}
