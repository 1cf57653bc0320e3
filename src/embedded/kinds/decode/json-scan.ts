/** What JSON.parse does not tell about a text. */
export interface Scanned {
  /** Keys of all objects, repeated ones included. */
  keys: number
  depth: number
  /** The first integer that a double cannot hold exactly, but the real server would. */
  largeInteger: string | undefined
}

/** One pass over the bytes. What it says of a text that is not JSON means nothing. */
export function scanJson(bytes: Uint8Array): Scanned {
  const end = bytes.length
  let keys = 0
  let depth = 0
  let deepest = 0
  let largeInteger: string | undefined
  for (let at = 0; at < end; at++) {
    const byte = bytes[at] as number
    if (byte === 0x22) {
      for (at++; at < end && bytes[at] !== 0x22; at++) if (bytes[at] === 0x5c) at++
    } else if (byte === 0x3a) keys++
    else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > deepest) deepest = depth
    } else if (byte === 0x7d || byte === 0x5d) depth--
    else if (byte >= 0x30 && byte <= 0x39) {
      const start = at
      while (at < end && isOfNumber(bytes[at] as number)) at++
      if (at - start > 15) largeInteger ??= tooLarge(bytes, start, at)
      at--
    }
  }
  return { keys, depth: deepest, largeInteger }
}

/** Digits, and what stands in numbers that are not integers. */
const isOfNumber = (byte: number): boolean =>
  (byte >= 0x30 && byte <= 0x39) || byte === 0x2e || byte === 0x65 || byte === 0x45 || byte === 0x2b || byte === 0x2d

const mostOfInt64 = 9_223_372_036_854_775_808n

/** Beyond 64 bits Kubernetes makes a double of it, too, or refuses it by its type. */
function tooLarge(bytes: Uint8Array, start: number, end: number): string | undefined {
  if (end - start > 19) return undefined
  const text = String.fromCharCode(...bytes.subarray(start, end))
  return /^\d+$/.test(text) && String(Number(text)) !== text && BigInt(text) <= mostOfInt64 ? text : undefined
}
